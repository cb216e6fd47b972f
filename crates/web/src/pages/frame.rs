//! The layout of all pages, and the response that contains one.

use app::{Error, ErrorKind, Project};
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{Html, IntoResponse, Response};
use jiff::Timestamp;
use jiff::civil::Date;
use maud::{DOCTYPE, Markup, html};

use super::assets::{ICON, SCRIPT, STYLE};
use crate::principal::Principal;
use crate::shared::Shared;

/// A page without its layout.
pub(super) struct Page {
    /// Title of the window.
    pub(super) title: String,
    /// The menu entry that is highlighted.
    pub(super) here: Here,
    /// HTTP status.
    pub(super) status: StatusCode,
    /// The content.
    pub(super) body: Markup,
}

/// An entry of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Here {
    Overview,
    Work,
    Milestones,
    Review,
    Elsewhere,
}

/// The principal and the time for which a page is rendered.
pub(super) struct PageContext {
    pub(super) principal: Principal,
    pub(super) now: Timestamp,
    pub(super) today: Date,
}

impl PageContext {
    /// Returns whether editing controls are shown.
    pub(super) fn may_write(&self) -> bool {
        self.principal.role.may_write()
    }
}

impl Page {
    pub(super) fn new(title: impl Into<String>, here: Here, body: Markup) -> Self {
        Self { title: title.into(), here, status: StatusCode::OK, body }
    }
}

const MENU: &[(&str, &str, Here)] = &[
    ("Overview", "/", Here::Overview),
    ("Work", "/backlog", Here::Work),
    ("Milestones", "/milestones", Here::Milestones),
    ("Review", "/review", Here::Review),
];

/// Renders a page from the newest state and responds with it; errors are rendered as a page too.
pub(super) async fn answer(
    shared: Shared,
    principal: Principal,
    make: impl Fn(&Project, &PageContext) -> Result<Page, Error> + Send + 'static,
) -> Response {
    let env = shared.context().env;
    let look = PageContext { principal: principal.clone(), now: (env.now)(), today: (env.today)() };
    let made = shared.read_as(&principal, move |project| {
        // Read before the page is rendered: a page may be newer than its state name, never older.
        let project_now = Around { name: project.name(), state: project.state_name().unwrap_or_default() };
        Ok((project_now, make(project, &look).unwrap_or_else(|error| failure(&error))))
    });
    let nothing = || Around { name: "Cairn".to_owned(), state: String::new() };
    let (around, page) = made.await.unwrap_or_else(|error| (nothing(), failure(&error)));
    // Another person may use this browser next, and the state may change.
    let headers = [(CACHE_CONTROL, "private, no-cache")];
    (page.status, headers, Html(whole(&around, &principal, &page).into_string())).into_response()
}

fn failure(error: &Error) -> Page {
    let (status, heading) = match error.kind {
        ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "That makes no sense as it stands"),
        ErrorKind::NotFound => (StatusCode::NOT_FOUND, "Not here"),
        ErrorKind::Conflict => (StatusCode::CONFLICT, "Something is in the way"),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged => {
            (StatusCode::SERVICE_UNAVAILABLE, "Not available just now")
        }
        ErrorKind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Internal error"),
    };
    let body = html! {
        section class="narrow" {
            h1 { (heading) }
            // A filter error spans several lines and marks a column, so it is preformatted.
            @if error.message.contains('\n') { pre class="message" { (error.message) } } @else { p { (error.message) } }
            @if let Some(hint) = &error.hint { p class="quiet" { (hint) } }
            p { a href="/" { "To the overview" } }
        }
    };
    Page { title: heading.to_owned(), here: Here::Elsewhere, status, body }
}

/// Renders a page without authentication: the same layout, without project data and without the script.
pub(crate) fn outside(title: &str, more_head: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head { (head(title, "Cairn")) (more_head) }
            body {
                header class="top" { (brand("Cairn")) }
                main id="main" { (body) }
            }
        }
    }
}

fn head(title: &str, name: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) " · " (name) }
        link rel="stylesheet" href=(STYLE.path);
        link rel="icon" type="image/svg+xml" href=(ICON.path);
    }
}

fn brand(name: &str) -> Markup {
    html! { a class="brand" href="/" { img src=(ICON.path) alt="" width="24" height="24"; " " span { (name) } } }
}

/// Project data in the layout.
struct Around {
    name: String,
    /// Identifies the state that the page shows; the script uses it to detect changes.
    state: String,
}

fn whole(around: &Around, principal: &Principal, page: &Page) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(&page.title, &around.name))
                script type="module" src=(SCRIPT.path) {}
            }
            body data-role=(principal.role) data-state=(around.state) {
                a class="skip" href="#main" { "Skip to the content" }
                (top(&around.name, page.here))
                main id="main" tabindex="-1" { (page.body) }
                // Filled by the script: announces changes to screen readers.
                div id="announcer" class="unseen" role="status" aria-live="polite" {}
                div id="notices" role="alert" {}
            }
        }
    }
}

fn top(name: &str, here: Here) -> Markup {
    html! {
        header class="top" {
            (brand(name))
            nav aria-label="Main" {
                ul {
                    @for (words, path, entry) in MENU {
                        li { a href=(path) aria-current=[(*entry == here).then_some("page")] { (words) } }
                    }
                }
            }
            form class="find" role="search" action="/search" {
                input type="search" name="q" placeholder="Search" aria-label="Search items" autocomplete="off";
            }
            form class="leave" action="/logout" method="post" { button class="plain" { "Log out" } }
            p id="connection" role="status" hidden { "Reconnecting…" }
        }
    }
}

#[cfg(test)]
mod tests {
    use app::Role;

    use super::*;

    #[test]
    fn a_page_has_landmarks_and_nothing_that_runs_inside_it() {
        let principal = Principal { name: "x".into(), person: None, role: Role::Reader };
        let page = Page::new("<Title>", Here::Work, html! { p { "body" } });
        let around = Around { name: "<shop>".into(), state: "0a1b".into() };
        let html = whole(&around, &principal, &page).into_string();
        for part in ["<main", "<header", "<nav", "lang=\"en\"", "&lt;Title&gt; · &lt;shop&gt;", "data-role=\"reader\""]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.contains("href=\"/backlog\" aria-current=\"page\""), "{html}");
        for part in ["style=", " onclick", "<style", "http:", "https:"] {
            assert!(!html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn every_kind_of_failure_has_a_status_of_its_own_and_shows_the_hint() {
        let page = failure(&Error::not_found("item not found: `9`").hint("look <elsewhere>"));
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        assert!(page.body.into_string().contains("look &lt;elsewhere&gt;"));
        assert_eq!(failure(&Error::invalid("")).status, StatusCode::BAD_REQUEST);
        assert_eq!(failure(&Error::unavailable("")).status, StatusCode::SERVICE_UNAVAILABLE);
    }
}
