//! The section of the page of benchmarks about peers.

use std::fmt::Write as _;

use super::super::machine::Machine;
use super::catalog::PEERS;
use super::record::Record;
use super::subject::{Field, Source};
use super::{ahead, tables};

/// The heading of the section.
pub(crate) const HEADING: &str = "## Beside other programs";

/// The chart, from the page.
const PICTURE: &str = "pictures/bench-peers.svg";

pub(crate) fn render(records: &[Record], machine: &Machine, n_annotations: usize, n_comments: usize) -> String {
    let mut text = format!("\n{HEADING}\n\n{INTRODUCTION}");
    text.push_str(&leads(records));
    text.push_str(&run(records, machine));
    let _ = write!(text, "\n![CPU time of the commands of each program, on a logarithmic scale]({PICTURE})\n");
    let mut part = |title: &str, table: Option<String>| {
        if let Some(table) = table {
            let _ = write!(text, "\n### {title}\n\n{table}");
        }
    };
    part("1,000 items", tables::timings(records, Field::Tracker, 1_000));
    part("10,000 items", tables::timings(records, Field::Tracker, 10_000));
    let title = format!("Annotations: a file with {n_annotations} of them");
    part(&title, tables::timings(records, Field::Annotations, n_annotations));
    let title = format!("Comments of a review: {n_comments} of them");
    part(&title, tables::timings(records, Field::Review, n_comments));
    part("Eight processes that write at once", tables::writers(records));
    part("MCP servers, with 1,000 items", tables::servers(records));
    text.push_str(&missing(records));
    text.push_str(METHOD);
    text
}

fn leads(records: &[Record]) -> String {
    let mut text = String::from("\n### Where another program is ahead\n\n");
    let sentences = ahead::sentences(records);
    if sentences.is_empty() {
        text.push_str("On no line that was measured.\n");
    }
    for sentence in sentences {
        let _ = writeln!(text, "- {sentence}");
    }
    text
}

fn run(records: &[Record], machine: &Machine) -> String {
    let mut text = format!(
        "\n### The run beside others\n\n- {}; memory: {}; {}; {}; {}\n",
        machine.processor, machine.memory, machine.disk, machine.system, machine.git
    );
    for record in records {
        let Record::Run { peer, version, date, load, noise } = record else { continue };
        let about = PEERS.iter().find(|known| known.name == *peer).map_or("", |known| known.about);
        let _ = writeln!(text, "- {peer} {version} ({about}): {date}, load {load}, `git --version` took {noise}");
    }
    text
}

fn missing(records: &[Record]) -> String {
    let mut lines: Vec<String> = records
        .iter()
        .filter_map(|record| match record {
            Record::Missing { peer, what, reason } => Some(format!("- {peer}, {what}: {reason}")),
            _ => None,
        })
        .collect();
    for peer in PEERS.iter().filter(|peer| !records.iter().any(|record| record.peer() == peer.name)) {
        let reason = match peer.source {
            Source::OnPath(program) => format!("`{program}` is in no registry, and was not on the path"),
            _ => "not in this run".to_owned(),
        };
        lines.push(format!("- {}: {reason}", peer.name));
    }
    if lines.is_empty() { String::new() } else { format!("\n### Not measured\n\n{}\n", lines.join("\n")) }
}

const INTRODUCTION: &str = "\
Written by `just bench-peers --write`; do not edit. What the registries carry, each program in the version named below,
in a repository and a home folder of its own. CPU time counts most: user and system, with children and daemons. The
ratio in parentheses is that of the CPU time to Cairn's in the same minutes. Peers, and parts of one, may be measured in runs
of their own; the list of runs has the load before the last one of each peer.
";

const METHOD: &str = "
### How peers are measured

Each peer runs alternately with Cairn, command by command: a batch of Cairn's, a batch of the peer's, and back, after one
or two runs that do not count. A batch takes about a quarter of a second of CPU time, 30 runs of a short command or one of a long
one; the numbers are medians of the batches, five of them, or three if a run takes longer than 1.5 s. All trackers hold the same open items, with a description of a paragraph
or two, and a dependency for about every seventh. Cairn and beads-rs import them from a file of beads, Backlog.md and Task Master
get them as their own files, the others create them one by one, and `git gc` packs them. `list` is a page of 50, `list all`
is everything, as text; programs without a page have only the latter. `ready` is what can be started: 20 items of Cairn
and Backlog.md, everything of beads-rs, the next task of Task Master.

Eight writers are eight threads that each run the writing command 20 times (3 times if it takes more than a second), in a
repository without items. A write is acknowledged if the command succeeds, and lost if it is not found afterwards.

A server is started until it answers `initialize`; its CPU time includes its end, its memory that of all its processes. The
list call has no arguments other than where to look: Cairn answers with its first page and the number of all items, the
others with everything. Tokens are counted with `o200k_base`: of name, description and inputSchema of all tools, and of the
text of the result.

Not everything compares: Cairn syncs each write to disk, git-mile and Backlog.md do not; Radicle signs each write; beads-rs
writes to its daemon's log first. Programs from npm include the start of Node.js. With a load far above the number of cores, as
the list of runs shows it, wall times and writes per second say little; CPU times and their ratios do not depend on it much.
";

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::super::subject::Action;
    use super::super::timing::Cost;
    use super::*;

    fn timing(ours: u64, theirs: u64) -> Record {
        let cost = |cpu| Cost { cpu: Duration::from_millis(cpu), wall: Duration::from_millis(cpu) };
        Record::Timing {
            peer: "git-mile".to_owned(),
            n_items: 1_000,
            action: Action::Create,
            costs: [cost(ours), cost(theirs)],
        }
    }

    fn section(records: &[Record]) -> String {
        render(records, &Machine::look(Path::new(".")), 300, 100)
    }

    #[test]
    fn every_table_has_an_introduction() {
        let text = section(&[timing(10, 8)]);
        let lead = text.find("- git-mile: `create` with 1000 items").unwrap();
        assert!(lead < text.find("| git-mile |").unwrap());
        insta::assert_snapshot!(testkit::lines_with(&section(&[timing(8, 10)]), "On no line"), @"On no line that was measured.");
    }

    #[test]
    fn skipped_measurements_are_listed_with_the_reason() {
        let missing = Record::Missing {
            peer: "Radicle".to_owned(),
            what: "`list all` at 10000".to_owned(),
            reason: "created 900 of 10000 items in 240 s".to_owned(),
        };
        let text = section(&[missing]);
        let listed = text.split("\n\n").skip_while(|part| !part.ends_with("### Not measured")).nth(1).unwrap();
        insta::assert_snapshot!(listed, @"
        - Radicle, `list all` at 10000: created 900 of 10000 items in 240 s
        - git-mile: `git-mile` is in no registry, and was not on the path
        - beads-rs: not in this run
        - Backlog.md: not in this run
        - Task Master: not in this run
        - Task Master MCP: not in this run
        - Chronicle: not in this run
        - tuicr: not in this run
        - beads-mcp: not in this run
        - mcp-atlassian: not in this run
        ");
    }
}
