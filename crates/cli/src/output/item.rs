//! Text output of items: a table of many, a page for one.

use anstyle::{AnsiColor, Style};
use app::verb::SharesById;
use app::view::{CommitState, CommitView, ItemView, ListView, LogView, Reference};
use model::person::Person;
use model::priority::PriorityLevel;
use model::workflow::{Category, State};
use terminal::{StyledLine, markdown, wrap};

use super::columns::{ItemColumn, item_table_with};
use super::feed::log_lines;
use super::table::terminal_width;
use super::when::{self, when};
use super::{BAD, FAINT, GOOD, NOTABLE, STRONG, Table, Ui, cut, safe, safe_block};

/// Maximum width of running text: longer lines are hard to read.
const MAX_TEXT_WIDTH: usize = 100;

/// The table of a list: its columns, and how far the parts of epics and milestones are.
#[derive(Debug, Default)]
pub(crate) struct PageTable {
    pub(crate) columns: Vec<ItemColumn>,
    pub(crate) shares: SharesById,
}

/// Prints a page of a list, which is page `n_page`, counted from 1.
pub(crate) fn print_page(ui: &Ui, page: &ListView, n_page: usize, empty: &str) {
    let columns = ItemColumn::defaults(None).to_vec();
    print_page_with(ui, page, n_page, empty, &PageTable { columns, ..PageTable::default() });
}

/// Prints a page of a list with chosen columns.
pub(crate) fn print_page_with(ui: &Ui, page: &ListView, n_page: usize, empty: &str, table: &PageTable) {
    if ui.json {
        ui.data(page);
        return;
    }
    if page.items.is_empty() {
        ui.note(empty);
        return;
    }
    let mut rows = item_table_with(&page.items, &table.columns, &table.shares);
    if !ui.is_styled() {
        rows.remove_styles();
    }
    ui.page(&rows.render());
    if page.next_cursor.is_some() {
        let (n_shown, next) = (page.items.len(), n_page + 1);
        ui.note(&format!("{FAINT}{n_shown} of {}; `--page {next}` shows the next ones{FAINT:#}", page.total));
    }
}

/// Returns a table of items of any kind.
pub(crate) fn item_table(items: &[ItemView]) -> Table {
    item_table_with(items, ItemColumn::defaults(None), &SharesById::new())
}

/// How much of an item is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What people read.
    Normal,
    /// Also the id and the revision, which programs use.
    Verbose,
}

/// Prints one item with all related data.
pub(crate) fn print_item(ui: &Ui, item: &ItemView, detail: Detail) {
    if ui.json { ui.data(item) } else { ui.page(&item_page(item, detail)) }
}

/// Prints one item with all related data and its history.
pub(crate) fn print_item_with_history(ui: &Ui, item: &ItemView, detail: Detail, history: &LogView) {
    if ui.json {
        ui.data(item);
        return;
    }
    let mut page = item_page(item, detail);
    page.extend([format!("\n{STRONG}history{STRONG:#}\n")]);
    // The first line names the item.
    page.extend(log_lines(history, detail).iter().skip(1).map(|line| format!("{line}\n")));
    ui.page(&page);
}

fn item_page(item: &ItemView, detail: Detail) -> String {
    let width = terminal_width();
    let mut page = vec![heading(item, width)];
    for (name, value) in facts(item, detail) {
        page.push(fact_lines(&name, &safe(&value), width));
    }
    if !item.description.is_empty() {
        page.push(format!("\n{}", body(&item.description, width)));
    }
    for (name, list) in related(item) {
        page.push(section(name, list, width));
    }
    page.push(commit_section(item.commits.as_deref().unwrap_or_default(), width));
    for (n, comment) in item.comments.iter().flatten().enumerate() {
        let edited = if comment.former.is_empty() { "" } else { ", edited" };
        let author = Person::parse(&comment.author);
        // On a terminal the name is enough, as in every list.
        let by = if width.is_some() { author.short().to_owned() } else { author.to_string() };
        let head = format!("── {} · {}{edited} · comment {}", safe(&by), when(comment.created), n + 1);
        let head = width.map_or_else(|| head.clone(), |width| cut(&head, width));
        // A comment that was taken back is left empty.
        let text =
            if comment.body.is_empty() { format!("{FAINT}(removed){FAINT:#}\n") } else { body(&comment.body, width) };
        page.push(format!("\n{FAINT}{head}{FAINT:#}\n{text}"));
    }
    page.concat()
}

/// Markdown on a terminal; the stored text in a pipe, where another program may read it.
fn body(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return format!("{}\n", safe_block(text.trim_end())) };
    let lines = markdown::render(text, width.min(MAX_TEXT_WIDTH));
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

/// Other items with a relation to this one, by relation.
fn related(item: &ItemView) -> [(&'static str, &[Reference]); 4] {
    [
        ("sub-items", item.children.as_deref().unwrap_or_default()),
        ("blocked by", &item.blocked_by),
        ("blocking", &item.blocks),
        ("related", &item.relates),
    ]
}

/// Lists items one per line, with a count of the closed ones.
fn section(name: &str, items: &[Reference], width: Option<usize>) -> String {
    if items.is_empty() {
        return String::new();
    }
    let n_closed = items.iter().filter(|item| item.state == Some(State::Closed)).count();
    let progress = if n_closed > 0 { format!(" {n_closed} of {} closed", items.len()) } else { String::new() };
    let mut text = format!("\n{STRONG}{name}{STRONG:#}{FAINT}{progress}{FAINT:#}\n");
    for item in items {
        let line = format!("  {} {}", if item.state == Some(State::Closed) { '●' } else { '○' }, safe(&mention(item)));
        let line = width.map_or_else(|| line.clone(), |width| cut(&line, width));
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Lists commits one per line. Those of the default branch are filled, like closed items.
fn commit_section(commits: &[CommitView], width: Option<usize>) -> String {
    if commits.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{STRONG}commits{STRONG:#}\n");
    for commit in commits {
        let (mark, place) = match commit.state {
            CommitState::Merged => ('●', ""),
            CommitState::Branch => ('○', ", on another branch"),
            CommitState::Gone => ('⊘', ", on no branch"),
        };
        let (id, subject) = (&commit.id[..7.min(commit.id.len())], safe(&commit.subject));
        let line = format!("  {mark} {id} {subject} ({}{place})", commit.relation);
        text.push_str(&width.map_or_else(|| line.clone(), |width| cut(&line, width)));
        text.push('\n');
    }
    text
}

/// Returns a fact with its name before it; on a terminal, long ones continue below their beginning.
fn fact_lines(name: &str, value: &str, width: Option<usize>) -> String {
    const INDENT: usize = 13;
    let lines = match width {
        Some(width) if width > 2 * INDENT => printed(&wrap(value, Style::new(), width - INDENT)),
        _ => vec![value.to_owned()],
    };
    let gap = format!("\n{}", " ".repeat(INDENT));
    format!("{FAINT}{name:>11}{FAINT:#}  {}\n", lines.join(&gap))
}

fn printed(lines: &[StyledLine]) -> Vec<String> {
    lines.iter().map(StyledLine::to_string).collect()
}

fn heading(item: &ItemView, width: Option<usize>) -> String {
    let style = status_style(item.category);
    let deleted = if item.deleted { format!("  {BAD}deleted{BAD:#}") } else { String::new() };
    let title = match width {
        Some(width) => printed(&wrap(&safe(&item.title), STRONG, width)).join("\n"),
        None => format!("{STRONG}{}{STRONG:#}", safe(&item.title)),
    };
    let (kind, number, status) = (item.kind, item.number, safe(&item.status));
    format!("{STRONG}{kind} #{number}{STRONG:#}  {style}{status}{style:#}{deleted}\n{title}\n")
}

fn facts(item: &ItemView, detail: Detail) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push((name.to_owned(), value));
        }
    };
    fact("labels", item.labels.join(", "));
    let name = if item.assignees.len() > 1 { "assignees" } else { "assignee" };
    fact(name, item.assignees.join(", "));
    fact("priority", priority(item.priority));
    fact("size", item.size.map(|size| size.to_string()).unwrap_or_default());
    for (name, value) in [("severity", &item.severity), ("type", &item.type_)] {
        fact(name, value.clone().unwrap_or_default());
    }
    for (name, value) in [("board", &item.board), ("milestone", &item.milestone), ("parent", &item.parent)] {
        fact(name, value.as_ref().map(mention).unwrap_or_default());
    }
    fact("touches", item.touches.join(", "));
    let why = item.blocked.reason.clone().unwrap_or_else(|| "yes".to_owned());
    fact("blocked", if item.blocked.is { why } else { String::new() });
    fact("approved", if item.approved { "yes".to_owned() } else { String::new() });
    for (name, date) in
        [("started", item.started), ("expected", item.expected), ("completed", item.completed), ("due", item.due)]
    {
        fact(name, date.map(when::date).unwrap_or_default());
    }
    fact("color", item.color.clone().unwrap_or_default());
    fact("on Taiga", item.extra.get("taiga").map(on_taiga).unwrap_or_default());
    for (name, value) in item.extra.iter().filter(|(name, _)| !name.starts_with("taiga")) {
        fact(&safe(name), value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    fact("author", item.author.clone());
    if let Some(source) = &item.imported {
        let status = source.status.as_ref().map_or_else(String::new, |status| format!(" ({status})"));
        let url = source.url.as_ref().map_or_else(String::new, |url| format!(" {url}"));
        fact("imported", format!("{} {}{status}{url}", source.from, source.id));
    }
    fact("created", when(item.created));
    fact("updated", when(item.updated));
    let former: Vec<String> = item.former_numbers.iter().map(|number| item.name_with(*number)).collect();
    fact("formerly", former.join(", "));
    let others = item.formerly_this_number.as_deref().unwrap_or_default();
    if !others.is_empty() {
        fact("see also", format!("{}, once {} too", mentions(others), item.name()));
    }
    if detail == Detail::Verbose {
        fact("revision", item.revision.clone());
        fact("id", item.id.clone());
    }
    facts
}

/// Formats the Taiga link of an item; the other values of the link are internal to the bridge.
fn on_taiga(link: &serde_json::Value) -> String {
    let server = link["server"].as_str().unwrap_or_default();
    let number = link["ref"].as_u64().map(|number| format!(" #{number}")).unwrap_or_default();
    let gone = if link["gone"] == true { ", deleted there" } else { "" };
    format!("{server}{number}{gone}")
}

/// Formats a reference to an item in one line.
pub(crate) fn mention(reference: &Reference) -> String {
    if reference.number.is_none() {
        return format!("{} (not here yet)", reference.id);
    }
    let closed = if reference.state == Some(State::Closed) { " (closed)" } else { "" };
    format!("{} {}{closed}", reference.name(), reference.title)
}

fn mentions(references: &[Reference]) -> String {
    references.iter().map(mention).collect::<Vec<_>>().join("; ")
}

pub(super) fn status_style(category: Category) -> Style {
    match category {
        Category::Doing => NOTABLE,
        Category::Review => AnsiColor::Magenta.on_default(),
        Category::Done => GOOD,
        Category::Dropped | Category::Draft => FAINT,
        Category::Todo => AnsiColor::Blue.on_default(),
    }
}

/// Returns the status with a glyph, which fills up as work goes on.
pub(super) fn status(item: &ItemView) -> String {
    let glyph = item.category.glyph();
    format!("{glyph} {}", item.status)
}

pub(super) fn priority(priority: u8) -> String {
    match PriorityLevel::of(priority) {
        PriorityLevel::None => String::new(),
        level => level.word().to_owned(),
    }
}

pub(super) fn priority_style(priority: u8) -> Style {
    match PriorityLevel::of(priority) {
        PriorityLevel::Urgent => BAD,
        PriorityLevel::High => NOTABLE,
        PriorityLevel::Medium => Style::new(),
        PriorityLevel::Low | PriorityLevel::None => FAINT,
    }
}

pub(super) fn short_person(person: Option<&str>) -> String {
    person.map(|text| Person::parse(text).short().to_owned()).unwrap_or_default()
}
