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
use crate::other_files::OtherFiles;
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
    /// The stage: `reading`, `importing`.
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
    let mut run = Run { format, options, inputs: Vec::new(), others: OtherFiles::default() };
    let mut reports = Vec::new();
    if options.dry_run && paths.len() > 1 {
        run.read_ids(project, paths)?;
    }
    for (n, path) in paths.iter().enumerate() {
        // Nothing of a dry run is imported.
        let n_before = if options.dry_run { 0 } else { n };
        let report = run.file(project, n, path, progress).map_err(|error| after_others(error, n_before))?;
        run.others.finish_file(&report.declared);
        reports.push(report);
    }
    if !options.dry_run {
        run.resolve_open_references(project, paths, &mut reports, progress)?;
    }
    let mut total = Report::default();
    for report in reports {
        total.add(report);
    }
    total.leave_out_missing_comments();
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

/// The import of several files.
struct Run<'a> {
    format: ImportFormat,
    options: &'a ImportOptions,
    /// Opened so far: standard input can be read once only, and its copy is needed again.
    inputs: Vec<Input>,
    /// The other files of a dry run.
    others: OtherFiles,
}

impl Run<'_> {
    fn open(&mut self, n: usize, path: &Path) -> Result<(), Error> {
        if n >= self.inputs.len() {
            self.inputs.push(Input::open(path)?);
        }
        Ok(())
    }

    /// Reads which items the files of a dry run have.
    fn read_ids(&mut self, project: &Project, paths: &[PathBuf]) -> Result<(), Error> {
        for (n, path) in paths.iter().enumerate() {
            self.open(n, path)?;
            let input = &self.inputs[n];
            let mut catalog = Catalog::new(self.format);
            // The contents of an export of operations refer to nothing else.
            if self.format != ImportFormat::Jsonl || !jsonl::has_operations(input)? {
                project.dry_run(|context| {
                    let mut add = |record| catalog.add(context, &record);
                    self.format.read(input, &self.options.read, &mut add)
                })?;
            }
            self.others.add(catalog.into_ids());
        }
        Ok(())
    }

    fn file(
        &mut self,
        project: &mut Project,
        n: usize,
        path: &Path,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, Error> {
        self.open(n, path)?;
        let (format, options, input) = (self.format, self.options, &self.inputs[n]);
        if format == ImportFormat::Jsonl && jsonl::has_operations(input)? {
            return import_operations(project, input, options);
        }
        let now = project.now();
        let mut run = |context: &PlanContext<'_>, write: &mut Writer<'_>| {
            let settings = PlanSettings { tool: format.name(), is_own: format.is_own(), now, others: &self.others };
            Import { format, input, options, settings }.run(context, write, progress)
        };
        if options.dry_run {
            project.dry_run(|context| run(context, &mut |_| Ok(())))
        } else {
            project.write_sequence(run)
        }
    }

    /// Imports the files again that refer to items of later files: those are here now.
    fn resolve_open_references(
        &mut self,
        project: &mut Project,
        paths: &[PathBuf],
        reports: &mut [Report],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        let n_files = paths.len();
        for (n, (path, report)) in paths.iter().zip(reports).enumerate() {
            if n + 1 < n_files && report.has_open_references() {
                report.settle(self.file(project, n, path, progress)?);
            }
        }
        Ok(())
    }
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
        let mut catalog = Catalog::new(self.format);
        let mut kept = KeptRecords::of_format(self.format);
        self.read(&mut |record| {
            catalog.add(context, &record).map_err(|error| self.format.placed(self.input, error, Some("id")))?;
            tell(progress, "reading", catalog.n_items, 0);
            kept.add(record);
            Ok(())
        })?;
        let total = catalog.n_items;
        let statuses = Statuses::of(context.index, &self.options.statuses, self.settings.is_own)?;
        let mut planner = Planner::new(context, &self.settings, catalog, statuses)?;
        planner.resolve_blocked().map_err(|error| self.at_item(planner.n_items(), error, "blockedBy"))?;
        let done = Cell::new(0);
        let mut plan = |record: Record| {
            done.set(done.get() + usize::from(matches!(record, Record::Item(_))));
            tell(progress, "importing", done.get(), total);
            planner.add(record, write).map_err(|error| self.format.placed(self.input, error, planner.key()))
        };
        match kept.into_all() {
            Some(records) => records.into_iter().try_for_each(plan)?,
            None => self.read(&mut plan)?,
        }
        if let Some(cycle) = planner.find_cycle()? {
            return Err(self.at_item(cycle.first, cycle.to_error(), "parent"));
        }
        planner.finish(write)
    }

    /// Adds the place of the `n`th item to an error about a key, for which the input is read once more.
    fn at_item(&self, n: usize, error: Error, key: &str) -> Error {
        let (mut n_read, mut place) = (0, None);
        let stopped = self.read(&mut |record| {
            if let Record::Item(item) = record {
                n_read += 1;
                if n_read == n {
                    place = Some(item.place);
                    return Err(Error::invalid("stopped"));
                }
            }
            Ok(())
        });
        match place {
            Some(place) => self.format.placed(self.input, error.in_context(place), Some(key)),
            None => stopped.err().unwrap_or(error),
        }
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
