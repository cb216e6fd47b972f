//! The diagnostic log: spans and events of our crates, on stderr, if `-v` or `CAIRN_LOG` asks for it.

use std::io;

use app::Error;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The variable that selects what is logged, such as `debug` or `store=trace,web=debug`.
pub(crate) const VARIABLE: &str = "CAIRN_LOG";

/// The crates that a level without a crate is about. Libraries log the messages that they pass on, with the arguments of
/// tools and the texts of items, which do not belong into a log; one of them is logged only if it is named.
const CRATES: [&str; 4] = ["database", "mcp", "store", "web"];

/// Starts the log. Without a request there is no subscriber, and every event costs one comparison.
pub(crate) fn start(n_verbose: u8) -> Result<(), Error> {
    let Some(filter) = filter(n_verbose, std::env::var(VARIABLE).ok())? else { return Ok(()) };
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).with_target(true);
    // A second subscriber can only be refused, and there is none: this runs once, at the start.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
    Ok(())
}

/// Returns whether the log has debug events.
pub(crate) fn logs_debug() -> bool {
    LevelFilter::current() >= LevelFilter::DEBUG
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
    parsed.map(|targets| Some(of_our_crates(&targets))).map_err(|error| {
        Error::invalid(format!("invalid filter `{text}` in `{VARIABLE}`: {error}"))
            .hint("levels are error, warn, info, debug and trace: `debug`, or `store=trace,web=debug`")
    })
}

/// Restricts the level that names no crate to our crates.
fn of_our_crates(targets: &Targets) -> Targets {
    let level = targets.default_level();
    let ours = level.into_iter().flat_map(|level| CRATES.map(|name| (name, level)));
    Targets::new().with_targets(ours).with_targets(targets.iter())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Returns whether an event of a target is logged.
    fn logs(targets: &Targets, target: &str, level: LevelFilter) -> bool {
        targets.would_enable(target, &level.into_level().unwrap())
    }

    #[test]
    fn libraries_are_logged_only_if_they_are_named() {
        let logs_library = |variable: &str| {
            let targets = filter(2, Some(variable.to_owned())).unwrap().unwrap();
            logs(&targets, "rmcp::service", LevelFilter::DEBUG)
        };
        assert!(!logs_library(""));
        assert!(!logs_library("trace"));
        assert!(!logs_library("debug,store=trace"));
        assert!(logs_library("rmcp=debug"));
    }

    #[test]
    fn every_crate_that_logs_is_known() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for folder in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap();
            assert_eq!(manifest.contains("\ntracing."), CRATES.contains(&name), "{name}");
        }
    }

    #[test]
    fn the_variable_counts_before_the_flag() {
        let level = |n_verbose, variable: Option<&str>| {
            let targets = filter(n_verbose, variable.map(str::to_owned)).unwrap()?;
            let levels = [LevelFilter::TRACE, LevelFilter::DEBUG, LevelFilter::ERROR];
            levels.into_iter().find(|level| logs(&targets, "store::open", *level))
        };
        assert_eq!(level(0, None), None);
        assert_eq!(level(0, Some("")), None);
        assert_eq!(level(1, None), Some(LevelFilter::DEBUG));
        assert_eq!(level(2, None), Some(LevelFilter::TRACE));
        assert_eq!(level(1, Some("error")), Some(LevelFilter::ERROR));
        assert_eq!(level(1, Some("web=trace")), None);
        insta::assert_snapshot!(filter(0, Some("store=loud".to_owned())).unwrap_err().message, @r#"invalid filter `store=loud` in `CAIRN_LOG`: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5"#);
    }
}
