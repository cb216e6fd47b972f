//! Exports items. Every format is made from the JSON shape of an item, the one that `cairn show --json` prints.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use app::verb::ListOptions;
use app::{Error, Project};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::id::EntityId;
use model::item_ref::ItemRef;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::formats::{beads, github, html, ics, markdown, table};

/// Items that are read at once.
const PAGE: usize = 500;

/// An item in the shape of `cairn show --json`.
pub(crate) type Exported = Map<String, Value>;

/// A format that can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// All operations, unchanged.
    Jsonl,
    /// A table.
    Csv,
    /// All items in one file of Markdown.
    Markdown,
    /// `.beads/issues.jsonl`.
    Beads,
    /// Requests for GitHub's import of issues.
    Github,
    /// A board in one HTML file.
    Html,
    /// The due dates as a calendar.
    Ics,
}

impl ExportFormat {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Beads => "beads",
            Self::Github => "github",
            Self::Html => "html",
            Self::Ics => "ics",
        }
    }
}

/// What to export.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// Only items that this filter matches; open and closed ones.
    pub filter: Option<String>,
}

/// What an export wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportView {
    /// The format.
    pub format: String,
    /// The file or the folder; null for standard output.
    pub file: Option<String>,
    /// Items written; 0 for an export of operations.
    pub items: usize,
    /// Operations written; 0 for an export of items.
    pub operations: usize,
}

/// Exports to a writer.
pub fn export(
    project: &Project,
    format: ExportFormat,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> Result<ExportView, Error> {
    let mut view = ExportView { format: format.name().to_owned(), file: None, items: 0, operations: 0 };
    match format {
        ExportFormat::Jsonl => view.operations = export_operations(project, options, out)?,
        ExportFormat::Csv => {
            let mut writer = table::write::Writer::new(&mut *out).map_err(|error| cannot_write(&error))?;
            view.items = each_item(project, options, Detail::Row, |item| writer.item(item))?;
            writer.finish().map_err(|error| cannot_write(&error))?;
        }
        ExportFormat::Markdown => {
            view.items = each_item(project, options, Detail::Whole, |item| {
                out.write_all(markdown::write::one_of_many(item).as_bytes())
            })?;
        }
        ExportFormat::Beads => {
            let ids = beads_ids(project, options)?;
            each_item(project, options, Detail::Whole, |item| {
                let Some(line) = beads::write::line(item, &ids) else { return Ok(()) };
                view.items += 1;
                writeln!(out, "{line}")
            })?;
        }
        ExportFormat::Github => {
            each_item(project, options, Detail::Whole, |item| {
                let Some(request) = github::write::request(item) else { return Ok(()) };
                view.items += 1;
                writeln!(out, "{request}")
            })?;
        }
        ExportFormat::Html => {
            let mut items = Vec::new();
            view.items = each_item(project, options, Detail::Whole, |item| {
                items.push(item.clone());
                Ok(())
            })?;
            let page = html::page(&project.name(), &project.workflows(None)?, &items);
            out.write_all(page.as_bytes()).map_err(|error| cannot_write(&error))?;
        }
        ExportFormat::Ics => {
            out.write_all(ics::BEGIN.as_bytes()).map_err(|error| cannot_write(&error))?;
            each_item(project, options, Detail::Row, |item| {
                let Some(event) = ics::event(item) else { return Ok(()) };
                view.items += 1;
                out.write_all(event.as_bytes())
            })?;
            out.write_all(ics::END.as_bytes()).map_err(|error| cannot_write(&error))?;
        }
    }
    out.flush().map_err(|error| cannot_write(&error))?;
    Ok(view)
}

/// Exports items as Markdown, a file for each, into a folder. All other files in it stay, but those that an earlier export
/// gave an item under another title.
pub fn export_folder(project: &Project, options: &ExportOptions, folder: &Path) -> Result<ExportView, Error> {
    let failed = |error: std::io::Error| Error::unavailable(format!("cannot write `{}`: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut former = former_files(folder).map_err(failed)?;
    let items = each_item(project, options, Detail::Whole, |item| {
        // Written beside its place and renamed, so that no file is half-written.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(markdown::write::item(item).as_bytes())?;
        let name = markdown::write::file_name(item);
        file.persist(folder.join(&name)).map_err(|error| error.error)?;
        // Two files of one item could not be imported again.
        for other in former.remove(&markdown::write::file_prefix(item)).unwrap_or_default() {
            let path = folder.join(&other);
            if other != name && markdown::write::is_file_of(&path, item) {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    })?;
    let file = Some(folder.display().to_string());
    Ok(ExportView { format: ExportFormat::Markdown.name().to_owned(), file, items, operations: 0 })
}

/// The names of the files that a folder had before an export, by how an item's names begin.
fn former_files(folder: &Path) -> std::io::Result<HashMap<String, Vec<String>>> {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(prefix) =
            markdown::write::prefix_of(&name).filter(|_| entry.file_type().is_ok_and(|one| one.is_file()))
        {
            files.entry(prefix.to_owned()).or_default().push(name);
        }
    }
    Ok(files)
}

fn export_operations(project: &Project, options: &ExportOptions, out: &mut dyn Write) -> Result<usize, Error> {
    if options.filter.is_none() {
        return project.export(out);
    }
    let mut ids = Vec::new();
    each_item(project, options, Detail::Row, |item| {
        ids.extend(text(item, "id").parse::<EntityId>().ok());
        Ok(())
    })?;
    project.export_items(&ids, out)
}

/// How much of an item is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// What a list has.
    Row,
    /// With comments.
    Whole,
}

/// Calls `each` with every item, by number, and returns how many there were.
fn each_item(
    project: &Project,
    options: &ExportOptions,
    detail: Detail,
    mut each: impl FnMut(&Exported) -> std::io::Result<()>,
) -> Result<usize, Error> {
    let mut query = ListOptions {
        filter: options.filter.clone(),
        sort: vec!["number".to_owned()],
        limit: Some(PAGE),
        all: true,
        ..ListOptions::default()
    };
    let mut n_items = 0;
    loop {
        let page = project.list(&query)?;
        for item in page.items {
            let item = if detail == Detail::Whole { project.show(&ItemRef::parse(&item.id))? } else { item };
            each(&shape(&item)).map_err(|error| cannot_write(&error))?;
            n_items += 1;
        }
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            return Ok(n_items);
        }
    }
}

fn shape(item: &app::view::ItemView) -> Exported {
    match serde_json::to_value(item) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Returns the id that each item has in beads: its own if it came from there.
fn beads_ids(project: &Project, options: &ExportOptions) -> Result<HashMap<String, String>, Error> {
    let mut ids = HashMap::new();
    each_item(project, options, Detail::Row, |item| {
        ids.insert(text(item, "id").to_owned(), beads::write::id(item));
        Ok(())
    })?;
    Ok(ids)
}

/// Returns a text of an item; empty if it has none.
pub(crate) fn text<'a>(item: &'a Exported, name: &str) -> &'a str {
    item.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the texts of a list of an item.
pub(crate) fn texts<'a>(item: &'a Exported, name: &str) -> Vec<&'a str> {
    item.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns a value of the item that another one refers to.
pub(crate) fn referred<'a>(item: &'a Exported, name: &str, key: &str) -> &'a str {
    item.get(name).and_then(|reference| reference.get(key)).and_then(Value::as_str).unwrap_or_default()
}

/// Returns when a closed item was closed, as far as it is known: an item has the day only. Not before it was created, nor
/// after its last change, since other tools refuse that or compute with it.
pub(crate) fn closed_at(item: &Exported) -> Option<Timestamp> {
    let time = |name: &str| text(item, name).parse::<Timestamp>().ok();
    let updated = time("updated")?;
    let day: Option<Date> = text(item, "completed").parse().ok();
    let begin = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok()).map(|zoned| zoned.timestamp());
    Some(begin.unwrap_or(updated).max(time("created")?).min(updated))
}

fn cannot_write(error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot write the export: {error}"))
}
