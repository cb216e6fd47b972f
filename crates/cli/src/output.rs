//! The only module that prints: data to stdout, everything else to stderr. Texts from the log are escaped for the
//! terminal, so that no title can move the cursor.

mod bar;
mod cell;
mod columns;
mod feed;
mod item;
mod layout;
mod listener;
mod pager;
mod table;
mod trace;
mod treemap;
mod when;

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use app::{Error, ErrorKind};
use clap::error::ErrorKind as ErrorKindOfClap;
use serde::Serialize;

use crate::arguments::{Color, Global};
pub(crate) use bar::Bar;
pub(crate) use columns::ItemColumn;
pub(crate) use feed::{entry_lines, log_lines};
pub(crate) use item::{
    Detail, PageTable, item_table, print_item, print_item_with_history, print_page, print_page_with,
};
pub(crate) use listener::{has_written, listener};
pub(crate) use table::{Column, Table, terminal_width};
pub(crate) use terminal::{FAINT, STRONG, cut};
pub(crate) use trace::logs_debug;
pub(crate) use treemap::treemap;

/// For success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// For warnings.
pub(crate) const NOTABLE: Style = AnsiColor::Yellow.on_default();
/// For errors.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Output settings.
#[derive(Debug)]
pub(crate) struct Ui {
    /// Whether to print JSON.
    pub(crate) json: bool,
    /// Whether to print details that only programs and debugging need.
    is_verbose: bool,
    color: anstream::ColorChoice,
    /// The first failed write to stdout. Nothing is written after it, and `main` reports it.
    failure: RefCell<Option<std::io::Error>>,
}

impl Ui {
    /// Sets up the output of a command, and its log.
    pub(crate) fn new(global: &Global) -> Result<Self, Error> {
        trace::start(global.verbosity)?;
        Ok(Self::plain(global))
    }

    /// Sets up the output only.
    pub(crate) fn plain(global: &Global) -> Self {
        let color = match global.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::AlwaysAnsi,
            Color::Never => anstream::ColorChoice::Never,
        };
        color.write_global();
        Self { json: global.json, is_verbose: global.verbosity > 0, color, failure: RefCell::default() }
    }

    /// Prints text to stdout. A closed pipe is not an error; any other failure is kept for `finish`.
    pub(crate) fn print(&self, text: &str) {
        self.write(|| self.try_print(text));
    }

    fn write(&self, write: impl FnOnce() -> std::io::Result<()>) {
        let mut failure = self.failure.borrow_mut();
        if failure.is_none()
            && let Err(error) = write()
            // `cairn list | head` closes the pipe early and must not report an error.
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            *failure = Some(error);
        }
    }

    /// Returns the exit code of a command: that of its result, or 1 if its output could not be written.
    pub(crate) fn finish(&self, result: Result<ExitCode, Error>) -> ExitCode {
        let code = result.unwrap_or_else(|error| self.fail(&error));
        match self.failure.take() {
            None => code,
            Some(error) => {
                self.note(&format!("cannot write the output: {error}"));
                ExitCode::FAILURE
            }
        }
    }

    /// Returns how much of an item or of the log is printed.
    pub(crate) fn detail(&self) -> Detail {
        if self.is_verbose { Detail::Verbose } else { Detail::Normal }
    }

    /// Prints text through the pager if it is longer than the terminal.
    pub(crate) fn page(&self, text: &str) {
        if !pager::show(text, self.choice()) {
            self.print(text);
        }
    }

    /// Prints text to stdout, for callers that must know about a closed pipe.
    fn try_print(&self, text: &str) -> std::io::Result<()> {
        if has_no_escapes(text) {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes())?;
            return out.flush();
        }
        let mut out = anstream::AutoStream::new(std::io::stdout().lock(), self.choice());
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints a line to stdout; fails on a closed pipe.
    pub(crate) fn try_line(&self, text: &str) -> std::io::Result<()> {
        self.try_print(&format!("{text}\n"))
    }

    /// Prints a value as JSON; fails on a closed pipe.
    pub(crate) fn try_data(&self, value: &impl Serialize) -> std::io::Result<()> {
        self.try_line(&as_json(value))
    }

    /// Writes bytes to stdout unchanged.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        self.write(|| {
            let mut out = std::io::stdout().lock();
            out.write_all(bytes)?;
            out.flush()
        });
    }

    /// Prints a line to stdout.
    pub(crate) fn line(&self, text: &str) {
        self.print(&format!("{text}\n"));
    }

    /// Prints a value as JSON.
    pub(crate) fn data(&self, value: &impl Serialize) {
        self.line(&as_json(value));
    }

    /// Prints a value as indented JSON.
    pub(crate) fn pretty(&self, value: &impl Serialize) {
        let text = serde_json::to_string_pretty(value).expect("views hold strings, numbers and lists");
        self.line(&model::text::escape_json(text));
    }

    /// Prints a line to stderr.
    pub(crate) fn note(&self, text: &str) {
        let _ = self;
        note(text);
    }

    /// Prints warnings to stderr.
    pub(crate) fn warn(&self, warnings: &[String]) {
        for warning in warnings {
            self.note(&format!("{NOTABLE}warning:{NOTABLE:#} {}", safe(warning)));
        }
    }

    /// Prints an error and returns its exit code.
    pub(crate) fn fail(&self, error: &Error) -> ExitCode {
        if self.json {
            note(&error_body(error));
        } else {
            note(&format!("{BAD}error:{BAD:#} {}", safe_block(&error.message)));
            if let Some(hint) = &error.hint {
                note(&format!("{STRONG}hint:{STRONG:#} {}", safe_block(hint)));
            }
        }
        ExitCode::from(exit_code(error.kind))
    }

    /// Returns whether styles are printed.
    fn is_styled(&self) -> bool {
        self.choice() != anstream::ColorChoice::Never
    }

    fn choice(&self) -> anstream::ColorChoice {
        match self.color {
            anstream::ColorChoice::Auto => anstream::AutoStream::choice(&std::io::stdout()),
            other => other,
        }
    }
}

/// Returns whether a text has nothing that a stream without styles leaves out. Looking is far cheaper than leaving out, and
/// most output has no styles in a pipe.
fn has_no_escapes(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\n' || byte == b'\t' || byte >= b' ' && byte != 0x7f)
}

fn as_json(value: &impl Serialize) -> String {
    let text = if std::io::stdout().is_terminal() {
        serde_json::to_string_pretty(value)
    } else {
        serde_json::to_string(value)
    };
    model::text::escape_json(text.expect("views hold strings, numbers and lists"))
}

// The table from error kinds to exit codes; 2 is also the code for wrong usage.
fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Invalid => 2,
        ErrorKind::NotARepository => 3,
        ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::Unavailable
        | ErrorKind::IndexDamaged
        | ErrorKind::Internal => 1,
    }
}

/// Prints clap's message about the arguments, or help. With `--json`, a usage error has the shape of all errors.
pub(crate) fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    let wants_json = words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    if wants_json && error.use_stderr() {
        note(&error_body(&misused(error)));
    } else if let Err(failure) = error.print()
        && failure.kind() != std::io::ErrorKind::BrokenPipe
    {
        note(&format!("cannot write the output: {failure}"));
        return ExitCode::FAILURE;
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

// clap's message has paragraphs: the error, perhaps a tip, the usage.
fn misused(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(str::trim);
    let message = match error.kind() {
        ErrorKindOfClap::DisplayHelpOnMissingArgumentOrSubcommand => "no command was given",
        _ => paragraphs.next().unwrap_or_default().trim_start_matches("error:").trim_start(),
    };
    let advice = paragraphs.find_map(|part| part.strip_prefix("tip:").or(part.strip_prefix("Usage:")));
    Error::invalid(message).hint(advice.map_or("`--help` says more", str::trim))
}

fn error_body(error: &Error) -> String {
    let body = serde_json::json!({
        "error": {"kind": error.kind.name(), "message": error.message, "hint": error.hint}
    });
    model::text::escape_json(body.to_string())
}

/// Prints completions for a shell. A failure cannot be reported: the terminal shows a line being typed.
pub(crate) fn print_completions(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to stderr.
pub(crate) fn note(text: &str) {
    // If writing to stderr fails, there is nowhere to report it.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Prints a question to stderr, where it does not mix with data; the answer is typed behind it.
pub(crate) fn prompt(text: &str) -> std::io::Result<()> {
    let mut out = anstream::stderr();
    write!(out, "{text}")?;
    out.flush()
}

/// Escapes a single-line text for the terminal.
pub(crate) fn safe(text: &str) -> String {
    model::text::escape_line(text)
}

/// Escapes a multi-line text for the terminal.
pub(crate) fn safe_block(text: &str) -> String {
    model::text::escape_block(text)
}
