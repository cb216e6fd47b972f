//! The loop: draw, wait for a key or for a change by others, apply it. The terminal is restored on every way out: a
//! normal end, an error, a panic and a signal.

use std::io::{self, Stdout};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use app::Error;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste};
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_crossterm::crossterm::{cursor, execute};

use crate::draw::draw;
use crate::editor::TextEditor;
use crate::state::Interface;

type ScreenTerminal = Terminal<CrosstermBackend<Stdout>>;

/// How often the log and the inbox are compared with the screen: fast enough to look live, and one reading of a ref
/// and a folder costs less than a millisecond.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(250);

/// Shows the interface until it is closed. Long texts are edited with `editor`.
pub fn run(mut state: Interface, editor: &dyn TextEditor) -> Result<(), Error> {
    let stops = stop_flag()?;
    restore_on_panic();
    enable_raw_mode().map_err(unusable)?;
    let result = open_screen().and_then(|mut terminal| show(&mut terminal, &mut state, editor, &stops));
    restore();
    result.map_err(unusable)
}

fn open_screen() -> io::Result<ScreenTerminal> {
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
    Terminal::new(CrosstermBackend::new(io::stdout()))
}

/// Leaves the terminal as it was found. Errors are ignored: nothing else can be done for a terminal that is gone.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen);
}

/// A panic is reported on the usual screen, and the shell gets a terminal that echoes.
fn restore_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restore();
        report(info);
    }));
}

fn show(
    terminal: &mut ScreenTerminal,
    state: &mut Interface,
    editor: &dyn TextEditor,
    stops: &AtomicBool,
) -> io::Result<()> {
    let mut is_stale = true;
    while !state.quits() && !stops.load(Ordering::Relaxed) {
        if is_stale {
            terminal.draw(|frame| draw(frame, state))?;
        }
        is_stale = match event::poll(FOLLOW_INTERVAL) {
            Ok(true) => handle_waiting(state)?,
            Ok(false) => state.follow(),
            // A signal arrived.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
            Err(error) => return Err(error),
        };
        if state.wants_editor() {
            run_editor(terminal, state, editor)?;
            is_stale = true;
        }
    }
    Ok(())
}

/// Leaves the terminal to the editor, and takes it back.
fn run_editor(terminal: &mut ScreenTerminal, state: &mut Interface, editor: &dyn TextEditor) -> io::Result<()> {
    execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, cursor::Show)?;
    disable_raw_mode()?;
    state.run_editor(editor);
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
    // The editor left other contents than the buffer of the last drawing has.
    terminal.clear()
}

/// Applies all events that are waiting, so that a held key does not draw each step.
fn handle_waiting(state: &mut Interface) -> io::Result<bool> {
    let mut changed = false;
    loop {
        changed |= state.handle(&event::read()?);
        if state.quits() || state.wants_editor() || !event::poll(Duration::ZERO)? {
            return Ok(changed);
        }
    }
}

/// Returns a flag that a signal to end the program sets.
fn stop_flag() -> Result<Arc<AtomicBool>, Error> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    // Not SIGHUP: the terminal is gone, so there is nothing to restore, and crossterm reads its end of file in an endless
    // loop. The default action ends the program; acknowledged writes are on disk.
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&flag)).map_err(unusable)?;
    }
    Ok(flag)
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn unusable(error: io::Error) -> Error {
    Error::unavailable(format!("the terminal cannot be used: {error}")).hint("run it in a terminal, not in a pipe")
}
