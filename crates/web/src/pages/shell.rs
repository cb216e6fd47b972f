//! The shell of all pages: rail, top bar, bottom bar on phones, and the places that the script fills.

use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, Project};
use maud::{DOCTYPE, Markup, html};
use model::item::ItemKind;
use model::person::Person;
use model::workflow::Category;

use super::assets::paths;
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, with_class};
use super::{hue, views, widgets, words};
use crate::principal::Principal;

/// Maximum number of boards in the rail.
const MAX_BOARDS: usize = 12;
/// Maximum number of saved views in the rail; each costs a query.
const MAX_VIEWS: usize = 8;
/// Maximum number of agents in the rail, and of their items that are read for it.
const MAX_AGENTS: usize = 3;
const MAX_AGENT_ITEMS: usize = 50;

/// Project data around a page.
pub(super) struct Surroundings {
    name: String,
    /// Identifies the state that the page shows; the script uses it to detect changes.
    state: String,
    me: String,
    boards: Vec<Board>,
    views: Vec<View>,
    /// Whether the work is shared, in words.
    sync: String,
    n_mine: u64,
    /// The item in progress of each agent that has one.
    agents: Vec<ItemView>,
    /// Unread messages of the inbox.
    pub(super) n_messages: usize,
    /// Whether the browser belongs to the person who started the server.
    pub(super) is_local: bool,
}

/// A saved view.
struct View {
    name: String,
    n_items: u64,
}

struct Board {
    number: u64,
    title: String,
    hue: &'static str,
    n_open: u64,
}

impl Surroundings {
    pub(super) fn read(project: &Project) -> Result<Self, Error> {
        let sort = vec!["rank".to_owned()];
        let kinds = vec![ItemKind::Board];
        let boards = project.list(&ListOptions { kinds, sort, limit: Some(MAX_BOARDS), ..ListOptions::default() })?;
        let boards = boards.items.into_iter().map(|board| {
            let n_open = count(project, &format!("board == \"{}\"", board.id))?;
            Ok(Board { number: board.number, hue: hue::of(board.color.as_deref()), title: board.title, n_open })
        });
        let me = project.me().map(|person| person.to_string()).unwrap_or_default();
        let n_mine = if me.is_empty() { 0 } else { count(project, "assignee == me")? };
        Ok(Self {
            name: project.name(),
            state: project.state_name().unwrap_or_default(),
            boards: boards.collect::<Result<_, Error>>()?,
            views: views(project)?,
            sync: sync_words(project),
            me,
            n_mine,
            agents: Vec::new(),
            n_messages: 0,
            is_local: false,
        })
    }

    /// Reads what the agents of the project have in progress.
    pub(super) fn read_agents(&mut self, project: &Project, look: &PageContext) -> Result<(), Error> {
        let is_assigned = |agent: &str| format!("assignee == \"{}\"", agent.replace('\\', "\\\\").replace('"', "\\\""));
        let filter = look.agents().map(is_assigned).collect::<Vec<_>>().join(" or ");
        if filter.is_empty() {
            return Ok(());
        }
        let sort = vec!["updated:desc".to_owned()];
        let options =
            ListOptions { filter: Some(filter), sort, limit: Some(MAX_AGENT_ITEMS), ..ListOptions::default() };
        for item in project.list(&options)?.items.into_iter().filter(|item| item.category == Category::Doing) {
            if self.agents.len() < MAX_AGENTS && self.agents.iter().all(|other| other.assignee != item.assignee) {
                self.agents.push(item);
            }
        }
        Ok(())
    }

    /// Returns what is known if the project cannot be read.
    pub(super) fn unknown(me: Option<&Person>) -> Self {
        Self {
            name: "Cairn".to_owned(),
            state: String::new(),
            me: me.map(ToString::to_string).unwrap_or_default(),
            boards: Vec::new(),
            views: Vec::new(),
            sync: String::new(),
            n_mine: 0,
            agents: Vec::new(),
            n_messages: 0,
            is_local: false,
        }
    }
}

/// Returns the saved views. One whose query is no longer valid, such as of a removed milestone, is left out.
fn views(project: &Project) -> Result<Vec<View>, Error> {
    let views = project.saved_views()?.into_iter().take(MAX_VIEWS).filter_map(|view| {
        let filter = project.view_filter(&view.query()).ok()?;
        let n_items = count(project, &filter).ok()?;
        Some(View { name: view.name, n_items })
    });
    Ok(views.collect())
}

/// Says whether the work is shared. It is a detail: if it cannot be found out, nothing is said.
fn sync_words(project: &Project) -> String {
    match project.sync_state() {
        Ok(state) if state.remote.is_none() => "not shared".to_owned(),
        Ok(state) if !state.is_synced => "not synced yet".to_owned(),
        Ok(state) => match (state.n_unsent, state.remote.unwrap_or_default()) {
            (0, remote) => format!("synced with {remote}"),
            (1, _) => "1 change to sync".to_owned(),
            (n, _) => format!("{n} changes to sync"),
        },
        Err(_) => String::new(),
    }
}

fn count(project: &Project, filter: &str) -> Result<u64, Error> {
    let kinds = vec![ItemKind::Issue, ItemKind::Task, ItemKind::Story, ItemKind::Epic];
    let options = ListOptions {
        kinds,
        filter: Some(filter.to_owned()).filter(|filter| !filter.is_empty()),
        limit: Some(0),
        ..ListOptions::default()
    };
    Ok(project.list(&options)?.total)
}

/// Renders the mark of the program.
pub(crate) fn mark() -> Markup {
    with_class("logo", "i logo")
}

/// Renders a page without authentication: without project data and without the script.
pub(crate) fn outside(title: &str, more_head: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head { (head(title, "Cairn")) (more_head) }
            body { main id="main" class="login" { (body) } }
        }
    }
}

/// Renders a whole page.
pub(super) fn whole(around: &Surroundings, principal: &Principal, theme: Option<&str>, page: &Page) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-theme=[theme] {
            head {
                (head(&page.title, &around.name))
                link rel="preload" href=(paths().font) as="font" type="font/woff2" crossorigin;
                @for path in &paths().scripts { link rel="modulepreload" href=(path); }
                @if let Some(main) = paths().scripts.first() { script type="module" src=(main) {} }
            }
            body data-role=(principal.role) data-state=(around.state) data-me=(around.me) data-icons=(paths().icons) {
                a class="skip" href="#main" { "Skip to the content" }
                div class="app" {
                    (rail(around, &page.here, principal))
                    main id="main" class="main" tabindex="-1" {
                        header class="topbar" { (page.heading) span class="grow" {} (tools(principal)) }
                        (page.body)
                    }
                    (bottom(around, &page.here, principal))
                }
                // Filled by the script: announces changes to screen readers, and shows notices.
                div id="announcer" class="unseen" role="status" aria-live="polite" {}
                div id="notices" role="region" aria-label="Notices" {}
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
        link rel="stylesheet" href=(paths().style);
        link rel="icon" type="image/svg+xml" href=(paths().favicon);
    }
}

fn tools(principal: &Principal) -> Markup {
    html! {
        p id="connection" role="status" hidden { "Reconnecting…" }
        form class="find" role="search" action="/search" {
            (icon("search"))
            input type="search" name="q" placeholder="Search" aria-label="Search items" autocomplete="off";
            (widgets::shortcut("K"))
        }
        @if principal.role.may_write() {
            button type="button" class="button primary js wide" data-act="new" { (icon("plus")) span { "New" } kbd aria-hidden="true" { "C" } }
        }
    }
}

fn rail(around: &Surroundings, here: &Here, principal: &Principal) -> Markup {
    html! {
        // On a phone it is shown while it is the target of the URL: that needs no script.
        aside class="rail" id="rail" aria-label="Project" {
            a class="icon-button rail-close" href="#main" aria-label="Close" { (icon("close")) }
            a class="project" href="/" {
                (icon("logo"))
                div { b { (around.name) } small { (around.sync) } }
            }
            nav aria-label="Main" {
                (entry("/", "home", "Home", here == &Here::Home, Badge::None))
                (entry("/mine", "user", "My work", here == &Here::MyWork, Badge::Count(around.n_mine)))
                (entry("/review", "inbox", "Inbox", here == &Here::Inbox, Badge::Unread(around.n_messages as u64)))
                h2 { "Boards" @if principal.role.may_write() { button type="button" class="icon-button small js" data-act="new-board" aria-label="New board" { (icon("plus")) } } }
                (entry("/all", "board", "All work", here == &Here::AllWork, Badge::None))
                @for board in &around.boards {
                    a class="nav" href={ "/board/" (board.number) } aria-current=[(here == &Here::Board(board.number)).then_some("page")] title=(board.title) {
                        span class={ "square " (board.hue) } {}
                        span class="truncate" { (board.title) }
                        @if board.n_open > 0 { span class="n" { (board.n_open) } }
                    }
                }
                h2 { "Plan" }
                (entry("/backlog", "backlog", "Backlog", here == &Here::Backlog, Badge::None))
                (entry("/epics", "k-epic", "Epics", here == &Here::Epics, Badge::None))
                (entry("/milestones", "k-milestone", "Milestones", here == &Here::Milestones, Badge::None))
                (entry("/insights", "insights", "Insights", here == &Here::Insights, Badge::None))
                (entry("/labels", "tag", "Labels", here == &Here::Labels, Badge::None))
                h2 { "Code" }
                (entry("/code", "map", "Code map", here == &Here::Code, Badge::None))
                @if !around.views.is_empty() {
                    h2 { "Saved views" }
                    @for view in &around.views { (view_entry(view, here)) }
                }
            }
            div class="rail-end" { (agents_at_work(&around.agents)) (me(around)) }
        }
    }
}

fn view_entry(view: &View, here: &Here) -> Markup {
    let is_here = here == &Here::View(view.name.clone());
    html! {
        a class="nav" href=(views::short_address(&view.name)) aria-current=[is_here.then_some("page")] title=(view.name) {
            (icon("pin")) span class="truncate" { (view.name) }
            @if view.n_items > 0 { span class="n" { (view.n_items) } }
        }
    }
}

/// The number beside an entry; zero is not shown.
#[derive(Clone, Copy)]
enum Badge {
    None,
    Count(u64),
    /// Messages that nobody read yet.
    Unread(u64),
}

fn entry(path: &str, glyph: &str, name: &str, is_here: bool, badge: Badge) -> Markup {
    let (n, class) = match badge {
        Badge::None => (0, ""),
        Badge::Count(n) => (n, "n"),
        Badge::Unread(n) => (n, "n new"),
    };
    html! {
        a class="nav" href=(path) aria-current=[is_here.then_some("page")] title=(name) {
            (icon(glyph)) span { (name) }
            @if n > 0 { span class=(class) { (n) } }
        }
    }
}

fn agents_at_work(items: &[ItemView]) -> Markup {
    html! {
        @if !items.is_empty() {
            h2 { "Agents at work" }
            @for item in items {
                @let who = item.assignee.as_deref().unwrap_or_default();
                a class="work" href=(widgets::home(item)) data-item=(item.number) title=(item.title) {
                    (widgets::agent_face(who, ""))
                    span class="truncate" { b { (words::name(who)) } " on " span class="number" { (item.name()) } }
                }
            }
        }
    }
}

fn me(around: &Surroundings) -> Markup {
    html! {
        div class="me" {
            @if !around.me.is_empty() {
                (widgets::plain_face(&around.me, "d24"))
                span class="truncate" { (words::name(&around.me)) }
            }
            button type="button" class="icon-button js" data-act="theme" aria-label="Change the theme" title="Light, dark or as the system" { (icon("moon")) }
            button type="button" class="icon-button js" data-act="keys" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" { (icon("help")) }
            @if !around.is_local {
                form action="/logout" method="post" { button class="icon-button" aria-label="Log out" title="Log out" { (icon("lock")) } }
            }
        }
    }
}

fn bottom(around: &Surroundings, here: &Here, principal: &Principal) -> Markup {
    let board = around.boards.first().map_or_else(|| "/all".to_owned(), |board| format!("/board/{}", board.number));
    let is_board = matches!(here, Here::Board(_) | Here::AllWork);
    let link = |path: &str, glyph: &str, name: &str, is_here: bool| {
        html! { a href=(path) aria-current=[is_here.then_some("page")] { (icon(glyph)) (name) } }
    };
    html! {
        nav class="bottom" aria-label="Sections" {
            (link("/", "home", "Home", here == &Here::Home))
            (link(&board, "board", "Board", is_board))
            @if principal.role.may_write() {
                button type="button" class="js" data-act="new" aria-label="New item" { span class="plus" { (with_class("plus", "i")) } }
            } @else { (link("/search", "search", "Search", false)) }
            a href="/review" aria-current=[(here == &Here::Inbox).then_some("page")] {
                (icon("inbox")) "Inbox"
                @if around.n_messages > 0 { span class="n" { (around.n_messages) } }
            }
            (link("#rail", "more", "More", false))
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
        let page = Page::new("<Title>", "board", Here::Backlog, html! { p { "body" } });
        let around = Surroundings { name: "<shop>".into(), state: "0a1b".into(), ..Surroundings::unknown(None) };
        let html = whole(&around, &principal, Some("dark"), &page).into_string();
        for part in [
            "<main",
            "<nav",
            "lang=\"en\"",
            "&lt;Title&gt; · &lt;shop&gt;",
            "data-role=\"reader\"",
            "data-theme=\"dark\"",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        insta::assert_snapshot!(testkit::tags_with(&html, "aria-current"), @r#"<a class="nav" href="/backlog" aria-current="page" title="Backlog">"#);
        for part in ["style=", " onclick", "<style", "http:", "https:"] {
            assert!(!html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn the_local_board_has_no_log_out() {
        let principal = Principal { name: "local".into(), person: None, role: Role::Admin };
        let page = Page::new("x", "board", Here::Backlog, html! {});
        let around = Surroundings { is_local: true, ..Surroundings::unknown(None) };
        let html = whole(&around, &principal, None, &page).into_string();
        insta::assert_snapshot!(testkit::tags_with(&html, "/logout"), @"");
        let around = Surroundings { is_local: false, ..Surroundings::unknown(None) };
        let html = whole(&around, &principal, None, &page).into_string();
        insta::assert_snapshot!(testkit::tags_with(&html, "/logout"), @r#"<form action="/logout" method="post">"#);
    }
}
