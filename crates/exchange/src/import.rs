//! Imports files, each as a whole or not at all.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use app::plan::PlanContext;
use app::{Error, Project};

use crate::catalog::Catalog;
use crate::formats::{ImportFormat, ReadOptions, jsonl};
use crate::input::Input;
use crate::item::{ImportedDecision, Record};
use crate::kept_records::KeptRecords;
use crate::plan::{PlanSettings, Planner, Writer};
use crate::report::{ImportView, Report};
use crate::status::Statuses;

/// Number of items between two progress reports.
const PROGRESS_INTERVAL: usize = 500;

/// How to import.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Say what would be done, and write nothing.
    pub dry_run: bool,
    /// Statuses of the source, each with the one it becomes here.
    pub statuses: Vec<(String, String)>,
    /// What only some formats need.
    pub read: ReadOptions,
}

/// How far an import is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// What is done: `reading`, `importing`.
    pub stage: &'static str,
    /// Items done.
    pub done: usize,
    /// All items; 0 while the number is unknown.
    pub total: usize,
}

/// Imports files or folders, one after the other. Each is written whole or not at all; with an error in one, those
/// before it stay, and the same command continues with it.
///
/// Decisions are returned, and not written: they are annotations, which a higher crate writes.
pub fn import(
    project: &mut Project,
    format: ImportFormat,
    paths: &[PathBuf],
    options: &ImportOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<(ImportView, Vec<ImportedDecision>), Error> {
    let mut total = Report::default();
    for (n, path) in paths.iter().enumerate() {
        let one = import_one(project, format, path, options, progress).map_err(|error| after_others(error, n))?;
        total.add(one);
    }
    let decisions = std::mem::take(&mut total.decisions);
    Ok((total.into_view(format.name(), options.dry_run), decisions))
}

fn after_others(error: Error, n_before: usize) -> Error {
    if n_before == 0 {
        return error;
    }
    let before =
        if n_before == 1 { "the file before it was".to_owned() } else { format!("{n_before} files before it were") };
    let hint = format!("{before} imported; the same command continues here and creates nothing twice");
    let hint = error.hint.as_ref().map_or_else(|| hint.clone(), |own| format!("{own}; {hint}"));
    error.hint(hint)
}

fn import_one(
    project: &mut Project,
    format: ImportFormat,
    path: &Path,
    options: &ImportOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, Error> {
    let input = Input::open(path)?;
    if format == ImportFormat::Jsonl && jsonl::has_operations(&input)? {
        return import_operations(project, &input, options);
    }
    let now = project.now();
    let mut run = |context: &PlanContext<'_>, write: &mut Writer<'_>| {
        let settings = PlanSettings { tool: format.name(), is_own: format.is_own(), now };
        Import { format, input: &input, options, settings }.run(context, write, progress)
    };
    if options.dry_run { project.dry_run(|context| run(context, &mut |_| Ok(()))) } else { project.write_sequence(run) }
}

fn import_operations(project: &mut Project, input: &Input, options: &ImportOptions) -> Result<Report, Error> {
    let named = |error: Error| error.in_context(format_args!("`{}`", input.name()));
    let mut reader = input.reader()?;
    let view =
        if options.dry_run { project.check_operations(&mut reader) } else { project.import_operations(&mut reader) };
    let view = view.map_err(named)?;
    let mut report = Report::default();
    (report.operations, report.known) = (view.operations, view.known);
    Ok(report)
}

struct Import<'a> {
    format: ImportFormat,
    input: &'a Input,
    options: &'a ImportOptions,
    settings: PlanSettings<'a>,
}

impl Import<'_> {
    fn run(
        &self,
        context: &PlanContext<'_>,
        write: &mut Writer<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, Error> {
        let mut catalog = Catalog::default();
        let mut kept = KeptRecords::of_format(self.format);
        self.read(&mut |record| {
            catalog.add(context, self.settings.tool, &record)?;
            tell(progress, "reading", catalog.n_items, 0);
            kept.add(record);
            Ok(())
        })?;
        let total = catalog.n_items;
        let statuses = Statuses::of(context.index, &self.options.statuses, self.settings.is_own)?;
        let mut planner = Planner::new(context, &self.settings, catalog, statuses)?;
        let done = Cell::new(0);
        let mut plan = |record: Record| {
            done.set(done.get() + usize::from(matches!(record, Record::Item(_))));
            tell(progress, "importing", done.get(), total);
            planner.add(record, write)
        };
        match kept.into_all() {
            Some(records) => records.into_iter().try_for_each(plan)?,
            None => self.read(&mut plan)?,
        }
        planner.finish(write)
    }

    fn read(&self, each: &mut dyn FnMut(Record) -> Result<(), Error>) -> Result<(), Error> {
        self.format.read(self.input, &self.options.read, each)
    }
}

fn tell(progress: &mut dyn FnMut(Progress), stage: &'static str, done: usize, total: usize) {
    if done.is_multiple_of(PROGRESS_INTERVAL) {
        progress(Progress { stage, done, total });
    }
}
