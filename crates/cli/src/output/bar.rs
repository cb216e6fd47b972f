//! A bar on stderr for work that takes a while; nothing is shown for work that does not, or when nobody looks.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What takes less than this is nobody's business.
const DELAY: Duration = Duration::from_millis(500);

/// Shows how far something is.
#[derive(Default)]
pub(crate) struct Bar {
    began: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Shows what is being done and how much of it is left.
    pub(crate) fn tell(&mut self, stage: &'static str, done: usize, total: usize) {
        let began = *self.began.get_or_insert_with(Instant::now);
        if self.bar.is_none() && began.elapsed() > DELAY {
            self.bar = Some(new_bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_message(stage);
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&mut self) {
        self.began = None;
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn new_bar() -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
