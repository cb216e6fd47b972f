//! The diagnostic log: spans and events of all crates, on stderr, if `-v` or `CAIRN_LOG` asks for it.

use std::io;

use app::Error;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The variable that selects what is logged, such as `debug` or `store=trace,web=debug`.
pub(crate) const VARIABLE: &str = "CAIRN_LOG";

/// Starts the log. Without a request there is no subscriber, and every event costs one comparison.
pub(crate) fn start(n_verbose: u8) -> Result<(), Error> {
    let Some(filter) = filter(n_verbose, std::env::var(VARIABLE).ok())? else { return Ok(()) };
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).with_target(true);
    // A second subscriber can only be refused, and there is none: this runs once, at the start.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
    Ok(())
}

/// Returns what to log; the variable is more precise, so it counts before the flag.
fn filter(n_verbose: u8, variable: Option<String>) -> Result<Option<Targets>, Error> {
    let text = match (variable.filter(|text| !text.is_empty()), n_verbose) {
        (Some(text), _) => text,
        (None, 0) => return Ok(None),
        (None, 1) => LevelFilter::DEBUG.to_string(),
        (None, _) => LevelFilter::TRACE.to_string(),
    };
    let parsed: Result<Targets, _> = text.parse();
    parsed.map(Some).map_err(|error| {
        Error::invalid(format!("invalid filter `{text}` in `{VARIABLE}`: {error}"))
            .hint("levels are error, warn, info, debug and trace: `debug`, or `store=trace,web=debug`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_counts_before_the_flag() {
        let level = |n_verbose, variable: Option<&str>| {
            filter(n_verbose, variable.map(str::to_owned)).unwrap().map(|targets| targets.default_level())
        };
        assert_eq!(level(0, None), None);
        assert_eq!(level(0, Some("")), None);
        assert_eq!(level(1, None), Some(Some(LevelFilter::DEBUG)));
        assert_eq!(level(2, None), Some(Some(LevelFilter::TRACE)));
        assert_eq!(level(1, Some("error")), Some(Some(LevelFilter::ERROR)));
        insta::assert_snapshot!(filter(0, Some("store=loud".to_owned())).unwrap_err().message, @r#"invalid filter `store=loud` in `CAIRN_LOG`: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5"#);
    }
}
