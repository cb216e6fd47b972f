//! `cairn annotate`: writes annotations. `ultragit annotate` takes the same arguments.

use std::path::PathBuf;
use std::process::ExitCode;

use annotations::Annotated as _;
use annotations::view::{
    AnnotatedView, AnnotationListView, CoverageTotalsView, CoverageView, PlaceMatch, ResolvedView,
};
use annotations::{AnnotationFilter, Remarks};
use anstyle::Style;
use app::{Error, Project};
use clap::Args;
use model::text::counted;

use crate::output::{Column, FAINT, GOOD, NOTABLE, Table, Ui, safe, treemap};
use crate::{editor, input};

const EXAMPLES: &str = "Examples:
  cairn annotate --anchor src/net.rs:Client::open --intent 'Opens one connection, retries are the caller'\\''s' \\
    --constraint 'Must not block' --depends src/tls.rs:handshake='assumes it times out'
  cairn annotate --commit HEAD~2 --edit
  cairn annotate --anchor src/net.rs:Client::open --kind dead_end --intent 'A pool of connections' --reasoning 'Brokers drop idle ones'
  cairn annotate --kind convention --anchor src/net --intent 'Every call has a timeout' --until 2027-06-30
  cairn annotate --list --stale
  cairn annotate --carry feature..main
  cairn annotate --coverage src --svg coverage.svg
  echo '{\"summary\": \"Retries\", \"regions\": [{\"file\": \"src/net.rs\", \"anchor\": \"retry\", \"intent\": \"…\"}]}' |
    cairn annotate";

/// Annotate code: its intent, constraints and risks.
///
/// With `--anchor` the texts are options, with `--edit` they are written in your editor, in a form with the functions
/// that the commit changed; otherwise a JSON document is read from standard input. The annotation is added to the note
/// of the commit. Names are looked up in the code of the commit; an unknown name of `--anchor` is an error.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Annotate {
    #[command(flatten)]
    arguments: Arguments,
    /// Annotate a name that is not in the code.
    #[arg(long, requires = "anchor")]
    create: bool,
}

impl Annotate {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        if let Some(remarks) = self.arguments.remarks().filter(|_| !self.create) {
            let found = project.annotations_mut().find_target(self.arguments.commit.as_deref(), &remarks)?;
            found.map_or(Ok(()), |found| refuse_lost(&found))?;
        }
        run(&self.arguments, project, ui)
    }
}

/// Fails if a name is not in the code: most likely it is misspelled.
fn refuse_lost(found: &ResolvedView) -> Result<(), Error> {
    if found.resolution != PlaceMatch::Lost {
        return Ok(());
    }
    let error = Error::not_found(format!("`{}` has no `{}`", safe(&found.file), safe(&found.given)));
    let near = model::nearest::nearest(&found.given, found.candidates.iter().map(String::as_str));
    let known = match near {
        Some(near) => format!("did you mean `{}`? ", safe(near)),
        None if found.candidates.is_empty() => String::new(),
        None => format!("it has: {}; ", safe(&found.candidates.join(", "))),
    };
    Err(error.hint(format!("{known}`--create` annotates the name anyway")))
}

/// Annotate code: its intent, constraints and risks.
///
/// With `--anchor` it is said right here, with `--edit` in your editor with a form of the functions the commit changed;
/// otherwise a JSON document is read from the pipe. It becomes part of the note of the commit, and is added to what is
/// there. Names are looked up in the code of the commit, and the answer says how each was found.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The commit, by any name git knows; HEAD if omitted.
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// The code: PATH:NAME, PATH:START-END, or PATH for the whole file.
    #[arg(long, value_name = "PATH:NAME", requires = "intent", conflicts_with = "edit")]
    anchor: Option<String>,
    /// The intent of the code.
    #[arg(long, value_name = "TEXT", requires = "anchor", allow_hyphen_values = true)]
    intent: Option<String>,
    /// Why it is done this way.
    #[arg(long, value_name = "TEXT", requires = "anchor", allow_hyphen_values = true)]
    reasoning: Option<String>,
    /// A constraint; may be given several times.
    #[arg(long = "constraint", value_name = "TEXT", requires = "anchor", allow_hyphen_values = true)]
    constraints: Vec<String>,
    /// A risk.
    #[arg(long, value_name = "TEXT", requires = "anchor", allow_hyphen_values = true)]
    risk: Option<String>,
    /// A tag; may be given several times.
    #[arg(long = "tag", value_name = "TAG", requires = "anchor")]
    tags: Vec<String>,
    /// A dependency on other code, and its nature; may be given several times.
    #[arg(long, value_name = "PATH:NAME=NATURE", requires = "anchor")]
    depends: Vec<String>,
    /// The change in a sentence; the commit's subject if omitted.
    #[arg(long, value_name = "TEXT", requires = "anchor", allow_hyphen_values = true)]
    summary: Option<String>,
    /// The kind: the reason for code, a rejected attempt, or a rule for a whole folder.
    #[arg(long, value_name = "KIND", requires = "anchor", value_parser = ["reason", "dead_end", "convention"])]
    kind: Option<String>,
    /// The last day on which it is valid.
    #[arg(long, value_name = "YYYY-MM-DD", requires = "anchor")]
    until: Option<String>,
    /// An annotation that this one supersedes; may be given several times.
    #[arg(long, value_name = "PATH:NAME|COMMIT[:PATH:NAME]", requires = "anchor")]
    supersedes: Vec<String>,
    /// Fill in a form in your editor.
    #[arg(long)]
    edit: bool,
    /// List the annotations of a file, a folder or everything, each with its status.
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = ["edit", "anchor", "commit", "coverage"])]
    list: Option<String>,
    /// Only annotations whose code was changed or is lost.
    #[arg(long, requires = "list")]
    stale: bool,
    /// Also superseded and expired ones.
    #[arg(long, requires = "list")]
    all: bool,
    /// Carry the notes of commits that were replaced: those of OLD that NEW does not have, to those of NEW.
    #[arg(long, value_name = "OLD..NEW", conflicts_with_all = ["edit", "anchor", "commit", "coverage", "list"])]
    carry: Option<String>,
    /// Print how much of the code is annotated, in a file, a folder or everywhere.
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = ["edit", "anchor", "commit"])]
    coverage: Option<String>,
    /// Draw the coverage into a file, as SVG.
    #[arg(long, value_name = "FILE", requires = "coverage")]
    svg: Option<PathBuf>,
    /// The notes ref to write to, instead of `ultragit.noteref` or refs/notes/ultragit.
    #[arg(long, value_name = "REF")]
    noteref: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let commit = arguments.commit.as_deref();
    let noteref = arguments.noteref.as_deref();
    if let Some(path) = &arguments.coverage {
        let coverage = project.annotations_mut().coverage(Some(path), noteref)?;
        return show_coverage(ui, &coverage, arguments.svg.as_ref());
    }
    if let Some(path) = &arguments.list {
        let annotations = project.annotations_mut();
        let mut annotations = if arguments.all { annotations.with_aged() } else { annotations };
        let filter = if arguments.stale { AnnotationFilter::Stale } else { AnnotationFilter::All };
        let list = annotations.list(Some(path), filter, noteref)?;
        return Ok(show_list(ui, &list));
    }
    if let Some(range) = &arguments.carry {
        return carry(ui, &mut project, range, noteref);
    }
    let view = if let Some(remarks) = arguments.remarks() {
        project.annotations_mut().annotate_by_flags(commit, &remarks, noteref)?
    } else if arguments.edit {
        let form = project.annotations().form(commit)?;
        let written =
            editor::fill_in(&project, &form, "Say something under Intent: of what you know; the rest is left out.")?;
        let view = project.annotations_mut().annotate_by_form(commit, &written, noteref)?;
        view.ok_or_else(|| Error::invalid("nothing was filled in; nothing was written"))?
    } else if input::is_piped() {
        project.annotations_mut().annotate(commit, &input::read_pipe()?, noteref)?
    } else {
        return Err(Error::invalid("no annotation was given")
            .hint("give `--anchor` and `--intent`, `--edit`, or a JSON document on standard input"));
    };
    print(ui, &view);
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn remarks(&self) -> Option<Remarks> {
        Some(Remarks {
            target: self.anchor.clone()?,
            intent: self.intent.clone().unwrap_or_default(),
            reasoning: self.reasoning.clone(),
            constraints: self.constraints.clone(),
            risk: self.risk.clone(),
            tags: self.tags.clone(),
            depends: self.depends.clone(),
            summary: self.summary.clone(),
            kind: self.kind.clone(),
            until: self.until.clone(),
            supersedes: self.supersedes.clone(),
        })
    }
}

fn print(ui: &Ui, view: &AnnotatedView) {
    if ui.json {
        ui.data(view);
        return;
    }
    let verb = if view.merged { "added to the note of" } else { "annotated" };
    ui.line(&format!("{GOOD}{verb}{GOOD:#} {} {}", &view.commit[..7], safe(&view.summary)));
    for region in &view.regions {
        ui.line(&format!("  {}", place(region)));
    }
    match view.superseded.len() {
        0 => {}
        1 => ui.line("  1 annotation is superseded"),
        n => ui.line(&format!("  {n} annotations are superseded")),
    }
}

fn show_list(ui: &Ui, list: &AnnotationListView) -> ExitCode {
    ui.warn(&list.warnings);
    if ui.json {
        ui.data(list);
        return ExitCode::SUCCESS;
    }
    let columns =
        [Column::fixed("STATUS"), Column::fixed("COMMIT"), Column::gives_way("PLACE", 20, 60), Column::main("INTENT")];
    let mut table = Table::new(&columns);
    for one in &list.annotations {
        let style = if one.status.is_unchanged() { GOOD } else { NOTABLE };
        let status = one.knowledge.aged.map_or_else(|| one.status.to_string(), |aged| aged.to_string());
        let symbol = if one.symbol.is_empty() { String::new() } else { format!(":{}", one.symbol) };
        let kind = one.knowledge.kind.as_deref().map(|kind| format!("{kind}: ")).unwrap_or_default();
        let quoted = if one.knowledge.looks_like_instructions { "[quoted] " } else { "" };
        let intent = one.intent.lines().next().unwrap_or_default();
        table.row(vec![
            (status, style),
            (one.commit.get(..7).unwrap_or(&one.commit).to_owned(), Style::new()),
            (safe(&format!("{}{symbol}", one.file)), Style::new()),
            (safe(&format!("{quoted}{kind}{intent}")), Style::new()),
        ]);
    }
    ui.print(&table.render());
    let AnnotationListView { current, moved, changed, lost, .. } = list;
    ui.line(&format!("{FAINT}{current} current, {moved} moved, {changed} changed, {lost} lost{FAINT:#}"));
    ExitCode::SUCCESS
}

fn carry(ui: &Ui, project: &mut Project, range: &str, noteref: Option<&str>) -> Result<ExitCode, Error> {
    let view = project.annotations_mut().carry_range(range, noteref)?;
    if ui.json {
        ui.data(&view);
        return Ok(ExitCode::SUCCESS);
    }
    for one in &view.carried {
        let commits = counted(one.from.len(), "commit");
        ui.line(&format!("{GOOD}carried{GOOD:#} the notes of {commits} to {}", &one.commit[..7]));
        for region in &one.regions {
            ui.line(&format!("  {}", place(region)));
        }
        ui.warn(&one.warnings);
    }
    if view.carried.is_empty() && view.unmatched.is_empty() {
        ui.line("nothing to carry: no commit that was replaced has a note");
    }
    for commit in &view.unmatched {
        let short = commit.get(..7).unwrap_or(commit);
        ui.note(&format!("{NOTABLE}warning:{NOTABLE:#} no replacement found for {short}; its note stays there"));
    }
    Ok(ExitCode::SUCCESS)
}

fn show_coverage(ui: &Ui, coverage: &CoverageView, svg: Option<&PathBuf>) -> Result<ExitCode, Error> {
    ui.warn(&coverage.warnings);
    if let Some(path) = svg {
        let cannot = |error| Error::unavailable(format!("cannot write `{}`: {error}", path.display()));
        std::fs::write(path, treemap(coverage)).map_err(cannot)?;
    }
    if ui.json {
        ui.data(coverage);
        return Ok(ExitCode::SUCCESS);
    }
    let columns = ["UNITS", "CURRENT", "STALE", "BARE", "SAID"].map(Column::number);
    let mut table = Table::new(&[&[Column::main("FILE")], columns.as_slice()].concat());
    for file in &coverage.files {
        table.row(row(&file.file, &file.totals));
    }
    table.row(row("all", &coverage.total));
    ui.print(&table.render());
    Ok(ExitCode::SUCCESS)
}

fn row(name: &str, totals: &CoverageTotalsView) -> Vec<(String, Style)> {
    let percent = (totals.current + totals.stale) * 100 / totals.units.max(1);
    let numbers = [totals.units, totals.current, totals.stale, totals.bare].map(|n| (n.to_string(), Style::new()));
    let mut cells = vec![(name.to_owned(), Style::new())];
    cells.extend(numbers);
    cells.push((format!("{percent}%"), Style::new()));
    cells
}

/// Describes the location of a region and, unless the match was exact, how it was found.
fn place(region: &ResolvedView) -> String {
    let lines = region.lines.as_ref().map(|lines| format!(":{}-{}", lines.start, lines.end)).unwrap_or_default();
    let name = if region.anchor.is_empty() { String::new() } else { format!(" {}", safe(&region.anchor)) };
    let place = format!("{}{lines}{name}", safe(&region.file));
    let candidates = safe(&region.candidates.join(", "));
    match region.resolution {
        PlaceMatch::Exact | PlaceMatch::Lines => place,
        PlaceMatch::File => format!("{place} {FAINT}(the whole file){FAINT:#}"),
        PlaceMatch::Folder => format!("{place} {FAINT}(all code there){FAINT:#}"),
        PlaceMatch::LinesDiffer => {
            format!("{place} {NOTABLE}(taken from the lines; the name is at {candidates}){NOTABLE:#}")
        }
        PlaceMatch::Ambiguous => format!("{place} {NOTABLE}(ambiguous: {candidates}){NOTABLE:#}"),
        PlaceMatch::Lost if candidates.is_empty() => format!("{place} {NOTABLE}(not found){NOTABLE:#}"),
        PlaceMatch::Lost => format!("{place} {NOTABLE}(not found; near it: {candidates}){NOTABLE:#}"),
        how @ (PlaceMatch::Unqualified | PlaceMatch::Similar) => {
            format!("{place} {FAINT}({how}: `{}` was given){FAINT:#}", safe(&region.given))
        }
    }
}
