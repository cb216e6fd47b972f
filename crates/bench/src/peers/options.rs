//! The options of `cargo xtask bench peers`.

use std::path::PathBuf;

use super::record::{NOT_INSTALLED, Record, size_key};
use super::subject::Subject;

/// A part of the comparison that can be measured on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Commands with few items.
    Few,
    /// Commands with many items.
    Many,
    /// Writers at once.
    Writers,
    /// MCP servers.
    Servers,
}

const PARTS: [(&str, Part); 4] =
    [("few", Part::Few), ("many", Part::Many), ("writers", Part::Writers), ("servers", Part::Servers)];

/// What to measure, and whether to write it down.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// One round of everything: shows that it runs.
    pub(crate) is_quick: bool,
    /// Only peers whose name contains this.
    only: Option<String>,
    parts: Vec<Part>,
    pub(crate) write: bool,
    pub(crate) keep: bool,
    /// Measure this program instead of building one.
    pub(crate) program: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.is_quick = true,
                "--write" => options.write = true,
                "--keep" => options.keep = true,
                "--only" => {
                    let name = arguments.next().ok_or("`--only` needs the name of a peer, such as `Backlog.md`")?;
                    options.only = Some(name.to_lowercase());
                }
                "--part" => options.parts.push(part(arguments.next())?),
                "--program" => {
                    let program = arguments.next().ok_or("`--program` needs the path of a release build")?;
                    options.program = Some(program.into());
                }
                unknown => {
                    return Err(format!(
                        "`bench peers` takes `--quick`, `--only NAME`, `--part PART`, `--program PATH`, `--write`, `--keep`, not `{unknown}`"
                    ));
                }
            }
        }
        if options.is_quick && options.write {
            return Err("a quick run has too few rounds to be written down".to_owned());
        }
        Ok(options)
    }

    pub(crate) fn includes(&self, peer: &Subject) -> bool {
        self.only.as_ref().is_none_or(|name| peer.name.to_lowercase().contains(name))
    }

    /// Returns whether a run of this peer replaces an earlier statement that something could not be measured.
    pub(crate) fn is_outdated(&self, record: &Record, peer: &Subject) -> bool {
        let Record::Missing { peer: name, what, .. } = record else { return false };
        let is_size = if *what == size_key(10_000) {
            self.has(Part::Many)
        } else {
            what.ends_with(" items") && self.has(Part::Few)
        };
        name == peer.name && (what == NOT_INSTALLED || is_size)
    }

    pub(crate) fn has(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}

fn part(name: Option<&String>) -> Result<Part, String> {
    let found = PARTS.iter().find(|(known, _)| name.is_some_and(|name| name == known));
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    found.map(|(_, part)| *part).ok_or_else(|| format!("`--part` needs one of: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::catalog::PEERS;
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Options, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Options::parse(&arguments)
    }

    #[test]
    fn everything_is_measured_unless_something_is_chosen() {
        let all = parsed(&[]).unwrap();
        assert!(PEERS.iter().all(|peer| all.includes(peer)) && all.has(Part::Few) && all.has(Part::Servers));
        let some = parsed(&["--only", "backlog", "--part", "few", "--part", "writers", "--write"]).unwrap();
        let names: Vec<&str> = PEERS.iter().filter(|peer| some.includes(peer)).map(|peer| peer.name).collect();
        assert_eq!(names, ["Backlog.md"]);
        assert!(some.has(Part::Few) && some.has(Part::Writers) && !some.has(Part::Many) && some.write);
    }

    #[test]
    fn wrong_options_are_refused() {
        assert_eq!(parsed(&["--part", "all"]), Err("`--part` needs one of: few, many, writers, servers".to_owned()));
        assert_eq!(parsed(&["--only"]), Err("`--only` needs the name of a peer, such as `Backlog.md`".to_owned()));
        assert_eq!(
            parsed(&["--quick", "--write"]),
            Err("a quick run has too few rounds to be written down".to_owned())
        );
        assert!(parsed(&["--fast"]).unwrap_err().ends_with("not `--fast`"));
    }
}
