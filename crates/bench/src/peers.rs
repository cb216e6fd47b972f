//! `cargo xtask bench peers`: other programs beside Cairn, installed from their registries, in the same minutes.
//!
//! A peer that cannot be installed, or a command that does not work, is listed with the reason.

mod ahead;
mod background;
mod catalog;
mod chart;
mod install;
mod items;
mod options;
mod record;
mod review;
mod sandbox;
mod section;
mod servers;
mod session;
mod subject;
mod tables;
mod timing;
mod tokens;
mod work;
mod writers;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use xtask::scratch::Scratch;
use xtask::tools::node::Node;
use xtask::{page_section, report};

use super::machine::Machine;
use super::measure::{Case, Rounds as NoiseRounds, in_turn, run as run_command};
use catalog::{PEERS, ours};
use options::{Options, Part};
use record::{NOT_INSTALLED, Record, SERVER, WRITERS, insert, size_key, timing_key};
use sandbox::Sandbox;
use servers::Measured;
use subject::{Action, Field, Installed, Subject};
use timing::{Repeated, Rounds, alternate};
use writers::{Tally, write_at_once};

pub(crate) use section::HEADING;

/// Results of earlier runs, so that peers can be measured one after the other.
const RESULTS: &str = "target/peers/results.tsv";
const PAGE: &str = "docs/benchmarks.md";
const PICTURE: &str = "docs/pictures/bench-peers.svg";

/// Annotations and comments that are there before a command is timed.
const N_ANNOTATIONS: usize = 300;
const N_COMMENTS: usize = 100;
/// A program whose command takes longer writes less at once.
const SLOW_WRITE_TIME: Duration = Duration::from_secs(1);
/// Characters of the reason why something is not measured.
const MAX_REASON_LENGTH: usize = 200;
/// Items behind the list call of a server.
const N_SERVED: usize = 1_000;

pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let place = root.join(RESULTS);
    // What a quick run measures is neither kept nor mixed with what was.
    let earlier = if options.is_quick { String::new() } else { fs::read_to_string(&place).unwrap_or_default() };
    let mut records = record::parse(&earlier);
    let comparison = Comparison::new(root, &options)?;
    for peer in PEERS.iter().filter(|peer| options.includes(peer)) {
        let measured = comparison.measure(peer)?;
        records.retain(|record| !options.is_outdated(record, peer));
        for record in measured {
            insert(&mut records, record);
        }
        if !options.is_quick {
            // After each peer: a later failure does not lose it.
            save(&place, &record::render(&records))?;
        }
    }
    records.retain(|record| PEERS.iter().any(|peer| peer.name == record.peer()));
    records.sort_by_key(|record| PEERS.iter().position(|peer| peer.name == record.peer()));
    let section = section::render(&records, &comparison.machine, N_ANNOTATIONS, N_COMMENTS);
    if !options.write {
        report::answer(section.trim());
        return Ok(());
    }
    let page = fs::read_to_string(root.join(PAGE)).map_err(|error| format!("cannot read `{PAGE}`: {error}"))?;
    save(&root.join(PAGE), &page_section::replace(&page, HEADING, &section))?;
    save(&root.join(PICTURE), &chart::render(&records))?;
    report::answer(&format!("{PAGE}\n{PICTURE}"));
    Ok(())
}

fn save(place: &Path, text: &str) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot write `{}`: {error}", place.display());
    fs::create_dir_all(place.parent().unwrap_or(place)).map_err(cannot)?;
    fs::write(place, text).map_err(cannot)
}

/// What all peers are compared with.
struct Comparison<'a> {
    root: &'a Path,
    options: &'a Options,
    scratch: Scratch,
    machine: Machine,
    cairn: Installed,
    /// The search path, with the Node.js that programs of npm run on.
    path: OsString,
}

impl<'a> Comparison<'a> {
    fn new(root: &'a Path, options: &'a Options) -> Result<Self, String> {
        let scratch = Scratch::new("peers")?.kept_if(options.keep);
        let machine = Machine::look(&scratch.path(""));
        let cairn = match &options.program {
            Some(program) => install::built(program)?,
            None => install::find_or_install(root, &catalog::CAIRN)?,
        };
        let path = Node::find_or_install(root)
            .map_or_else(|_| std::env::var_os("PATH").unwrap_or_default(), |node| node.path());
        Ok(Self { root, options, scratch, machine, cairn, path })
    }

    /// Measures everything of a peer.
    fn measure(&self, peer: &Subject) -> Result<Vec<Record>, String> {
        report::note(&format!("measuring: {}", peer.name));
        let installed = match install::find_or_install(self.root, peer) {
            Ok(installed) => installed,
            Err(reason) => return Ok(vec![missing(peer, NOT_INSTALLED, &reason)]),
        };
        let mut records = vec![self.run_record(peer, &installed)?];
        for n_items in self.sizes(peer.field) {
            records.extend(self.commands(peer, &installed, n_items)?);
        }
        if self.options.has(Part::Writers) && peer.writing().is_some() {
            records.push(or_missing(peer, WRITERS, self.writers(peer, &installed)));
        }
        if self.options.has(Part::Servers) && peer.server.is_some() {
            records.push(or_missing(peer, SERVER, self.servers(peer, &installed)));
        }
        Ok(records)
    }

    fn sizes(&self, field: Field) -> Vec<usize> {
        let all: &[(Part, usize)] = match field {
            Field::Tracker => &[(Part::Few, 1_000), (Part::Many, 10_000)],
            Field::Annotations => &[(Part::Few, N_ANNOTATIONS)],
            Field::Review => &[(Part::Few, N_COMMENTS)],
            Field::Server => &[],
        };
        all.iter().filter(|(part, _)| self.options.has(*part)).map(|(_, size)| *size).collect()
    }

    fn run_record(&self, peer: &Subject, installed: &Installed) -> Result<Record, String> {
        let mut cases =
            [Case::new("git --version", || run_command(std::process::Command::new("git").arg("--version")))];
        let noise = in_turn(&mut cases, NoiseRounds { warm_up: 3, counted: 40, for_cpu: 0 })?[0].wall;
        let now = Machine::look(&self.scratch.path(""));
        let (version, date, load) = (installed.version.clone(), now.date, now.load);
        Ok(Record::Run { peer: peer.name.to_owned(), version, date, load, noise: noise.to_string() })
    }

    fn sandbox<'s>(&self, subject: &'s Subject, installed: &Installed, name: &str) -> Result<Sandbox<'s>, String> {
        let name = format!("{}-{name}", subject.name.replace(' ', "-"));
        let folder = self.scratch.path(&name);
        // A later peer gets a new one of Cairn's.
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove `{}`: {error}", folder.display()))?;
        }
        Sandbox::new(subject, installed, folder, &self.path)
    }

    /// Times the commands of a peer beside Cairn's, at a number of items.
    fn commands(&self, peer: &Subject, installed: &Installed, n_items: usize) -> Result<Vec<Record>, String> {
        let mut cairn = self.sandbox(ours(peer.field), &self.cairn, &n_items.to_string())?;
        cairn.fill(n_items)?;
        let theirs = self.sandbox(peer, installed, &n_items.to_string());
        let theirs = theirs.and_then(|mut sandbox| sandbox.fill(n_items).map(|()| sandbox));
        let theirs = match theirs {
            Ok(theirs) => theirs,
            Err(reason) => return Ok(vec![missing(peer, &size_key(n_items), &reason)]),
        };
        let time = |action: Action| {
            report::note(&format!("  `{}` at {n_items}", action.name()));
            let mut cairn = Repeated::new(&cairn, action, n_items)?;
            let costs = Repeated::new(&theirs, action, n_items)
                .and_then(|mut theirs| alternate(&mut cairn, &mut theirs, self.rounds()));
            let record = |costs| Record::Timing { peer: peer.name.to_owned(), n_items, action, costs };
            Ok::<_, String>(or_missing(peer, &timing_key(n_items, action), costs.map(record)))
        };
        peer.commands.iter().map(|(action, _)| time(*action)).collect()
    }

    fn rounds(&self) -> Rounds {
        if self.options.is_quick { Rounds { usual: 1, slow: 1 } } else { Rounds { usual: 5, slow: 3 } }
    }

    /// Lets several processes write at once, alternately with Cairn, each time in a new repository.
    fn writers(&self, peer: &Subject, installed: &Installed) -> Result<Record, String> {
        report::note(&format!("  {WRITERS}"));
        let action = peer.writing().ok_or("there is no command that writes")?;
        let probe = self.sandbox(peer, installed, "writers")?;
        let start = Instant::now();
        run_command(&mut probe.action(action, 1)?)?;
        let is_slow = start.elapsed() > SLOW_WRITE_TIME;
        drop(probe);
        let n_rounds = if self.options.is_quick || is_slow { 1 } else { 3 };
        let n_each = if is_slow { 3 } else { 20 };
        let mut sums = [Tally::default(), Tally::default()];
        for _ in 0..n_rounds {
            let cairn = self.sandbox(ours(peer.field), &self.cairn, "writers")?;
            sums[0].add(&write_at_once(&cairn, action, n_each)?);
            let theirs = self.sandbox(peer, installed, "writers")?;
            sums[1].add(&write_at_once(&theirs, action, n_each)?);
        }
        Ok(Record::Writers { peer: peer.name.to_owned(), tallies: sums })
    }

    fn servers(&self, peer: &Subject, installed: &Installed) -> Result<Record, String> {
        report::note(&format!("  {SERVER}"));
        let mut cairn = self.sandbox(ours(peer.field), &self.cairn, "server")?;
        cairn.fill(N_SERVED)?;
        let mut theirs = self.sandbox(peer, installed, "server")?;
        if peer.server.as_ref().is_some_and(|server| server.list.is_ok()) {
            theirs.fill(N_SERVED)?;
        }
        let (mut cairn, mut theirs) = (Measured::new(&cairn)?, Measured::new(&theirs)?);
        let measured = servers::alternate(&mut cairn, &mut theirs, self.rounds())?;
        let texts = measured.iter().flat_map(|(_, texts)| [Some(&texts.definitions), texts.list.as_ref()]);
        let texts: Vec<&str> = texts.flatten().map(String::as_str).collect();
        let mut counts = tokens::count(self.root, &self.scratch, &texts)?.into_iter();
        let mut next = || counts.next().unwrap_or_default();
        let costs = measured.map(|(mut cost, texts)| {
            cost.n_definition_tokens = next();
            cost.n_list_tokens = texts.list.map(|_| next());
            cost
        });
        Ok(Record::Servers { peer: peer.name.to_owned(), costs })
    }
}

fn missing(peer: &Subject, what: &str, reason: &str) -> Record {
    report::note(&format!("  not measured: {what}: {reason}"));
    Record::Missing { peer: peer.name.to_owned(), what: what.to_owned(), reason: shorten(reason) }
}

/// Returns what a command said, without its arguments and its environment.
fn shorten(reason: &str) -> String {
    let said = match reason.split_once(" failed: ") {
        Some((_, after)) => format!("the command failed: {after}"),
        None => reason.to_owned(),
    };
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
    lines.join("; ").chars().take(MAX_REASON_LENGTH).collect()
}

fn or_missing(peer: &Subject, what: &str, result: Result<Record, String>) -> Record {
    result.unwrap_or_else(|reason| missing(peer, what, &reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_quotes_the_output_of_the_command() {
        let reason =
            "cd \"/tmp\" && env -i HOME=\"/x\" \"bd\" \"list\" failed: exit status: 2\n\nerror: no `origin`\nmore";
        assert_eq!(shorten(reason), "the command failed: exit status: 2; error: no `origin`");
        assert_eq!(shorten("created 9 of 10 items"), "created 9 of 10 items");
    }
}
