//! `cargo xtask bench`: benchmarks the release binary next to git itself and writes the report.
//!
//! Only runs processes, as people and scripts do; it links nothing of what it measures.

mod code;
mod crowd;
mod history;
mod importing;
mod inbox;
mod instructions;
mod machine;
mod measure;
mod moment;
mod page;
mod peers;
mod popular_names;
mod prose;
mod reasons;
mod scenes;
mod scratch;
mod serving;
mod several_servers;
mod statistics;
mod talk;
mod together;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use xtask::scratch::Scratch;
use xtask::{command, page_section, program, report, token_table};

use history::Size;
use machine::Machine;
use page::Findings;
use scenes::Stage;
use scratch::{Cairn, Repository};
use verdict::{Outcome, Row};

const PAGE: &str = "docs/benchmarks.md";

/// The extent of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Enough rounds for a verdict.
    Full,
    /// Small histories and few rounds; limits are shown but not enforced.
    Quick,
    /// Like `Quick`, with the debug binary: shows that everything runs, and says nothing about speed.
    Smoke,
}

/// What to measure, and where to write the report.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    pace: Pace,
    n_items: Option<usize>,
    /// Only the scenes whose title contains this word.
    only: Option<String>,
    /// Write the page instead of printing it.
    write: bool,
    /// Keep the scratch folder for inspection.
    keep: bool,
    /// Measure this program instead of building one.
    program: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command::workspace_root().and_then(|root| run(&root, &arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            report::note(&format!("error: {message}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the benchmarks; fails if a limit is exceeded.
fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    match arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("instructions", rest)) => return instructions::run(root, rest),
        Some(("peers", rest)) => return peers::run(root, rest),
        _ => {}
    }
    let options = parse(arguments)?;
    let binary = match &options.program {
        Some(program) => program.clone(),
        None if options.pace == Pace::Smoke => program::build(root)?,
        None => program::build_release(root)?,
    };
    let findings = measure(&Cairn(binary), &options)?;
    let text = page::write(&findings);
    if options.pace == Pace::Smoke {
        report::note("everything ran");
        return Ok(());
    }
    if options.write {
        let place = root.join(PAGE);
        // Other runs write sections of the same page.
        let old = fs::read_to_string(&place).unwrap_or_default();
        let others = [&page::SECTIONS_BY_HAND[..], &[token_table::HEADING, peers::HEADING]].concat();
        let text = page_section::keep(&text, &old, &others);
        fs::create_dir_all(root.join("docs")).map_err(|error| format!("cannot make `docs`: {error}"))?;
        fs::write(place, text).map_err(|error| format!("cannot write `{PAGE}`: {error}"))?;
        report::answer(PAGE);
    } else {
        report::answer(text.trim_end());
    }
    judge(&findings)
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { pace: Pace::Full, n_items: None, only: None, write: false, keep: false, program: None };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.pace = Pace::Quick,
            "--smoke" => options.pace = Pace::Smoke,
            "--write" => options.write = true,
            "--keep" => options.keep = true,
            "--only" => {
                let word = arguments.next().ok_or("`--only` needs a word of a scene's title, such as `MCP`")?;
                options.only = Some(word.clone());
            }
            "--program" => {
                let program = arguments.next().ok_or("`--program` needs the path of a release build")?;
                options.program = Some(program.into());
            }
            "--items" => {
                let count = arguments.next().and_then(|text| text.parse().ok());
                // The small history of the comparison has a tenth of the items, and must not be empty.
                let count = count.filter(|count| (100..=1_000_000).contains(count));
                options.n_items = Some(count.ok_or("`--items` needs a number from 100 to 1000000")?);
            }
            unknown => {
                return Err(format!(
                    "`bench` takes `--quick`, `--smoke`, `--items N`, `--only WORD`, `--program PATH`, `--write`, `--keep`, not `{unknown}`"
                ));
            }
        }
    }
    if options.write && (options.pace == Pace::Smoke || options.only.is_some()) {
        return Err("what `--smoke` and `--only` measure is not the whole page".to_owned());
    }
    Ok(options)
}

fn measure(cairn: &Cairn, options: &Options) -> Result<Findings, String> {
    let n_items = options.n_items.unwrap_or(if options.pace == Pace::Full { 10_000 } else { 1_000 });
    let (size, small, large) = (Size::of(n_items), Size::of(n_items / 10), Size::of(n_items * 10));
    let scratch = Scratch::new("bench")?.kept_if(options.keep);
    let machine = Machine::look(&scratch.path(""));
    let make = |name: &str, size: Size| {
        report::note(&format!("making a history of {} items, {} operations", size.n_items, size.n_ops));
        let repository = Repository::with_history(scratch.path(name), size)?;
        repository.check(cairn, size)?;
        Ok::<_, String>(repository)
    };
    let repository = make("main", size)?;
    let stage = Stage { cairn, scratch: &scratch, repository: &repository, size, is_quick: options.pace != Pace::Full };
    let mut scenes = Vec::new();
    let mut scene = |title: &'static str, rows: &dyn Fn() -> Result<Vec<Row>, String>| {
        if options.only.as_ref().is_some_and(|word| !title.contains(word)) {
            return Ok(());
        }
        report::note(&format!("measuring: {title}"));
        rows().map(|rows| scenes.push((title, rows))).map_err(|error| format!("{title}: {error}"))
    };
    let noise = stage.noise()?;
    scene("Reading", &|| stage.reading())?;
    scene("Writing", &|| stage.writing())?;
    scene("Building the index from nothing", &|| stage.cold())?;
    scene("Importing into an empty project", &|| stage.importing())?;
    scene("Serving MCP", &|| stage.serving())?;
    scene("Many writers at once", &|| stage.together())?;
    scene("Several servers on one database", &|| stage.several_servers())?;
    scene("Annotations", &|| stage.reasons())?;
    scene("The inbox", &|| stage.telling())?;
    scene("Sharing, over a hub on the same disk", &|| stage.sharing())?;
    scene("Scaling", &|| {
        let (few, many) = (make("small", small)?, make("large", large)?);
        stage.scaling((&few, small), (&many, large))
    })?;
    Ok(Findings { machine, size, small, large, is_quick: options.pace != Pace::Full, noise, scenes })
}

/// A quick run has too few rounds to fail on.
fn judge(findings: &Findings) -> Result<(), String> {
    let rows = findings.scenes.iter().flat_map(|(_, rows)| rows);
    let failed: Vec<&str> =
        rows.filter(|row| row.verdict.outcome == Outcome::Fail).map(|row| row.what.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let failed = format!("over the limit: {}", failed.join(", "));
    if findings.is_quick {
        report::note(&failed);
        return Ok(());
    }
    Err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Options, String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        parse(&arguments)
    }

    #[test]
    fn options_are_read() {
        let plain = Options { pace: Pace::Full, n_items: None, only: None, write: false, keep: false, program: None };
        assert_eq!(parsed(&[]), Ok(plain));
        let program = Some("cairn".into());
        let all = Options { pace: Pace::Quick, n_items: Some(500), only: None, write: true, keep: true, program };
        assert_eq!(parsed(&["--quick", "--items", "500", "--write", "--keep", "--program", "cairn"]), Ok(all));
    }

    #[test]
    fn part_of_the_page_is_never_written_down() {
        let smoke = parsed(&["--smoke"]).unwrap();
        assert_eq!(smoke.pace, Pace::Smoke);
        assert_eq!(parsed(&["--only", "MCP"]).unwrap().only.as_deref(), Some("MCP"));
        for part in [&["--smoke", "--write"][..], &["--only", "MCP", "--write"]] {
            assert_eq!(parsed(part), Err("what `--smoke` and `--only` measure is not the whole page".to_owned()));
        }
    }

    #[test]
    fn wrong_options_are_refused() {
        for wrong in [&["--items"][..], &["--items", "ten"], &["--items", "9"]] {
            assert_eq!(parsed(wrong), Err("`--items` needs a number from 100 to 1000000".to_owned()));
        }
        let error = "`bench` takes `--quick`, `--smoke`, `--items N`, `--only WORD`, `--program PATH`, `--write`, `--keep`, not `--fast`";
        assert_eq!(parsed(&["--fast"]), Err(error.to_owned()));
    }
}
