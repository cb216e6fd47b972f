//! A progress bar on stderr for long operations; hidden for short ones and if stderr is not a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar appears only for operations that take longer.
const DELAY: Duration = Duration::from_millis(500);

#[derive(Default)]
pub(crate) struct Bar {
    began: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Shows the stage and its progress.
    pub(crate) fn update(&mut self, stage: &'static str, done: usize, total: usize) {
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
