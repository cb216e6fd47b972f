//! The code map: all files, how much of each is annotated, and for one file its outline with annotations, its dependents,
//! and the open items and remarks about it.

mod tree;
mod treemap;

use annotations::Annotated as _;
use annotations::view::{CoverageFileView, CoverageView, DependentView, OutlineSymbolView, OutlineView};
use app::verb::ListOptions;
use app::view::{ItemView, ListView};
use app::{Error, Project};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use inbox::MessageFilter;
use inbox::view::MessageView;
use maud::{Markup, html};

use super::address::encoded;
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, small, tiny};
use super::item::code_state;
use super::request::PageRequest;
use super::{highlight, markdown, widgets, words};
use model::text::counted;
use tree::Tree;

/// `/code`.
pub(super) async fn map(request: PageRequest) -> Response {
    let read = request.shared.read_annotations(|project| {
        let annotations = project.annotations();
        Ok((annotations.all_files()?, annotations.coverage(None)?))
    });
    let found = read.await;
    request
        .answer(move |_, look| {
            let Ok((files, coverage)) = &found else { return Ok(Page::new("Code map", "map", Here::Code, no_code())) };
            Ok(Page::new("Code map", "map", Here::Code, folder_body(look, "", files, coverage)))
        })
        .await
}

/// `/code/{path}`: a folder or a file.
pub(super) async fn file(Path(path): Path<String>, request: PageRequest) -> Response {
    let wanted = path.clone();
    let read = request.shared.read_annotations(move |project| {
        let annotations = project.annotations();
        let files = annotations.all_files()?;
        if !files.contains(&wanted) {
            return Ok(Shown::Folder(files, annotations.coverage(Some(&wanted))?));
        }
        let folder = wanted.rsplit_once('/').map(|(folder, _)| folder);
        let coverage = annotations.coverage(folder)?;
        let dependents = annotations.dependents(&wanted, None).map(|view| view.dependents).unwrap_or_default();
        Ok(Shown::File(FileParts { files, coverage, outline: annotations.outline(&wanted)?, dependents }))
    });
    let shown = read.await;
    let wanted = path.clone();
    let remarks = request.shared.inbox(move |inbox| {
        let unresolved = inbox.list(MessageFilter::Unresolved)?.items;
        Ok(unresolved.into_iter().filter(|message| is_about(message, &wanted)).collect::<Vec<MessageView>>())
    });
    let remarks = remarks.await;
    request
        .answer(move |project, look| match shown.clone()? {
            Shown::Folder(files, coverage) => Ok(folder_page(look, &path, &files, &coverage)),
            Shown::File(parts) => file_page(project, look, &path, &parts, &remarks),
        })
        .await
}

/// Returns whether a remark is about a file, under its name of today.
fn is_about(message: &MessageView, path: &str) -> bool {
    let today = message.code.as_ref().and_then(|code| code.file.as_ref()).unwrap_or(&message.file);
    today == path
}

#[derive(Clone)]
enum Shown {
    Folder(Vec<String>, CoverageView),
    File(FileParts),
}

/// What the page of a file shows of the code.
#[derive(Clone)]
struct FileParts {
    files: Vec<String>,
    coverage: CoverageView,
    outline: OutlineView,
    dependents: Vec<DependentView>,
}

fn no_code() -> Markup {
    html! {
        div class="empty" { div {
            (super::icons::with_class("logo", "i art"))
            h2 { "No commit yet" }
            p { "After the first commit this page shows the code with its notes: why it is as it is, and what must stay true." }
        } }
    }
}

fn heading(path: &str) -> Markup {
    let parts: Vec<&str> = path.split('/').collect();
    let (last, folders) = parts.split_last().map_or(("", &[][..]), |(last, folders)| (*last, folders));
    html! {
        span class="crumb" {
            a href="/code" { "Code map" }
            @for (place, folder) in folders.iter().enumerate() { (tiny("chev-r")) a href={ "/code/" (address(&parts[..=place].join("/"))) } { (folder) } }
            (tiny("chev-r"))
        }
        h1 { code class="title" { (last) } }
    }
}

fn address(path: &str) -> String {
    path.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

fn folder_page(look: &PageContext, path: &str, files: &[String], coverage: &CoverageView) -> Page {
    let body = match look.query.text("part") {
        Some("tree") => tree(look, path, files, coverage).part(path),
        _ => folder_body(look, path, files, coverage),
    };
    Page { title: path.to_owned(), here: Here::Code, status: StatusCode::OK, heading: heading(path), body }
}

fn folder_body(look: &PageContext, path: &str, files: &[String], coverage: &CoverageView) -> Markup {
    html! {
        div class="code-page map" {
            (tree(look, path, files, coverage).render())
            div class="code-main" { (totals(coverage)) (treemap_panel(coverage, "")) (file_table(coverage)) }
        }
    }
}

fn tree<'a>(look: &PageContext, path: &'a str, files: &'a [String], coverage: &'a CoverageView) -> Tree<'a> {
    Tree::new(files, coverage, path, look.query.text("entries"))
}

fn file_page(
    project: &Project,
    look: &PageContext,
    path: &str,
    parts: &FileParts,
    remarks: &Result<Vec<MessageView>, Error>,
) -> Result<Page, Error> {
    let FileParts { files, coverage, outline, dependents } = parts;
    let touching = touching(project, path)?;
    let body = html! {
        div class="code-page" {
            (tree(look, path, files, coverage).render())
            div class="code-main" { (outline_panel(look, path, outline)) (treemap_panel(coverage, path)) }
            aside class="code-side" aria-label="Around this file" {
                section class="section" aria-labelledby="open-items" {
                    header { h2 id="open-items" { "Open items here" } span class="count" { (touching.len()) } }
                    @if touching.is_empty() { p class="quiet" { "No open item touches this file." } }
                    ul { @for item in &touching { (item_line(look, item)) } }
                }
                (remarks_section(look, remarks))
                section class="section" aria-labelledby="dependents" {
                    header { h2 id="dependents" { "Dependents" } span class="count" { (dependents.len()) } }
                    @if dependents.is_empty() { p class="quiet" { "No note says that other code relies on this file." } }
                    ul { @for one in dependents {
                        li class="line" title=(one.nature) { (small("file")) a class="title truncate" href={ "/code/" (address(&one.file)) } { code { (one.file) } } code class="quiet truncate" { (one.anchor) } }
                    } }
                }
            }
        }
    };
    Ok(Page { title: path.to_owned(), here: Here::Code, status: StatusCode::OK, heading: heading(path), body })
}

fn touching(project: &Project, path: &str) -> Result<Vec<ItemView>, Error> {
    let rows = project.index().touching(path).map_err(Error::from)?;
    let ids: Vec<String> = rows.iter().map(|row| format!("\"{}\"", row.item.id)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let filter = ids.iter().map(|id| format!("id == {id}")).collect::<Vec<_>>().join(" or ");
    let found: ListView = project.list(&ListOptions { filter: Some(filter), ..ListOptions::default() })?;
    Ok(found.items)
}

fn item_line(look: &PageContext, item: &ItemView) -> Markup {
    html! {
        li class="line" {
            (widgets::status_glyph(&item.status, item.category))
            span class="number" { (item.name()) }
            a class="title truncate" href=(widgets::home(item)) data-item=(item.number) { (item.title) }
            @if let Some(who) = &item.assignee { (widgets::face(look, who, "")) }
        }
    }
}

/// Renders the open remarks; the rest of the page is shown even if the inbox cannot be read.
fn remarks_section(look: &PageContext, remarks: &Result<Vec<MessageView>, Error>) -> Markup {
    html! {
        section class="section" aria-labelledby="remarks" {
            @match remarks {
                Ok(remarks) => {
                    header { h2 id="remarks" { "Remarks" } span class="count" { (remarks.len()) } }
                    @if remarks.is_empty() { p class="quiet" { "No remark on this file is open." } }
                    ul { @for remark in remarks { (remark_line(look, remark)) } }
                }
                Err(error) => {
                    header { h2 id="remarks" { "Remarks" } }
                    p class="quiet" { "The inbox cannot be read: " (error.message) }
                }
            }
        }
    }
}

fn remark_line(look: &PageContext, remark: &MessageView) -> Markup {
    html! {
        li class="line" {
            (widgets::face(look, &remark.author, ""))
            a class="title truncate" href={ "/review?message=" (remark.id) } { (markdown::first_line(&remark.comment)) }
            @if let Some(lines) = remark.lines { code class="quiet" { (lines) } }
        }
    }
}

fn outline_panel(look: &PageContext, path: &str, outline: &OutlineView) -> Markup {
    let n_notes = outline.symbols.iter().filter(|symbol| symbol.note.is_some()).count();
    html! {
        section class="panel" aria-labelledby="outline" {
            header { h2 id="outline" { "Outline" } span class="count" { (counted(outline.symbols.len(), "symbol")) ", " (n_notes) " with a note" } }
            @if outline.symbols.is_empty() { p class="nothing" { "No functions or types were found in this file." } }
            @for symbol in &outline.symbols { (symbol_row(look, path, symbol)) }
        }
    }
}

fn symbol_row(look: &PageContext, path: &str, symbol: &OutlineSymbolView) -> Markup {
    let language = path.rsplit('.').next().unwrap_or_default();
    html! {
        div class="symbol" {
            (small("code"))
            span class="signature" title=(symbol.signature) { @for (token, text) in highlight::tokens(language, &symbol.signature) { (highlight::colored(token, text)) } }
            span class="number" { (symbol.lines.start) "–" (symbol.lines.end) }
            @if let Some(note) = &symbol.note {
                div class={ "note" @if !note.status.is_unchanged() { " stale" } } {
                    (words::with_code(&note.intent))
                    footer { @if let Some(at) = note.at { (words::ago(look.now, at)) } (code_state(note.status)) }
                }
            }
        }
    }
}

fn totals(coverage: &CoverageView) -> Markup {
    let total = &coverage.total;
    let percent = (total.current + total.stale) * 100 / total.units.max(1);
    html! {
        dl class="stats" {
            div { dt { "Functions and types" } dd { (total.units) } }
            div { dt { "With a note" } dd { (total.current + total.stale) small { (percent) " %" } } }
            div { dt { "Changed since the note" } dd { (total.stale) } }
            div { dt { "Without a note" } dd { (total.bare) } }
        }
        @for warning in &coverage.warnings { p class="notice" { (warning) } }
    }
}

fn treemap_panel(coverage: &CoverageView, path: &str) -> Markup {
    html! {
        section class="panel" aria-labelledby="coverage" {
            header { h2 id="coverage" { "Coverage by notes" } span class="end legend" title="A larger area has more functions and types" { "0 %" @for step in 0..=4 { span class={ "swatch c" (step) } {} } "100 %" } }
            div class="in" { @if coverage.files.is_empty() { p class="quiet" { "No functions or types were found." } } @else { (treemap::draw(&coverage.files, path)) } }
        }
    }
}

fn file_table(coverage: &CoverageView) -> Markup {
    let mut files: Vec<&CoverageFileView> = coverage.files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse((file.totals.stale, file.totals.bare)));
    html! {
        section class="panel" aria-labelledby="files" {
            header { h2 id="files" { "Files to look at" } span class="count" { "changed since their note, then without one" } }
            ul class="rows" {
                @for file in files.into_iter().take(12) {
                    li class="row" {
                        (icon("file"))
                        a class="title" href={ "/code/" (address(&file.file)) } { code { (file.file) } }
                        @if file.totals.stale > 0 { span class="tag warning" { (file.totals.stale) " stale" } }
                        span class="count" { (file.totals.current + file.totals.stale) " of " (file.totals.units) }
                    }
                }
            }
        }
    }
}
