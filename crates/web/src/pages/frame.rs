//! A page, the state it is rendered from, and the response that contains it in the shell.

use std::collections::{HashMap, HashSet};

use app::{Error, ErrorKind, Project};
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{Html, IntoResponse, Response};
use inbox::MessageFilter;
use jiff::Timestamp;
use jiff::civil::Date;
use maud::{Markup, html};
use model::message::MessageState;

use super::address::Asked;
use super::display::CardPart;
use super::people::Handles;
use super::request::{PageRequest, Preferences};
use super::shell::{self, Surroundings};
use super::{hue, icons};
use crate::principal::Principal;

/// A page without the shell.
pub(super) struct Page {
    /// Title of the window.
    pub(super) title: String,
    /// The entry of the rail that is highlighted.
    pub(super) here: Here,
    /// HTTP status.
    pub(super) status: StatusCode,
    /// The left part of the top bar, with the `h1`.
    pub(super) heading: Markup,
    /// The content below the top bar.
    pub(super) body: Markup,
}

/// A place that the rail leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Here {
    Home,
    MyWork,
    Inbox,
    AllWork,
    Board(u64),
    /// A saved view.
    View(String),
    Backlog,
    Epics,
    Milestones,
    Insights,
    Labels,
    Code,
    Elsewhere,
}

/// For whom, when and for which query a page is rendered.
pub(super) struct PageContext {
    pub(super) principal: Principal,
    pub(super) now: Timestamp,
    pub(super) today: Date,
    pub(super) query: Asked,
    pub(super) preferences: Preferences,
    /// People who are agents, as `Name <email>`.
    agents: HashSet<String>,
    /// The hues of the labels that the team gave a color.
    label_hues: HashMap<String, &'static str>,
    /// Who can be mentioned in texts.
    pub(super) people: Handles,
}

impl PageContext {
    /// Returns whether editing controls are shown.
    pub(super) fn may_write(&self) -> bool {
        self.principal.role.may_write()
    }

    /// Returns whether cards and rows have a part.
    pub(super) fn shows(&self, part: CardPart) -> bool {
        !self.preferences.hidden.contains(&part)
    }

    /// Returns whether a group of a list or a lane, by the id of its element, is unfolded.
    pub(super) fn is_unfolded(&self, group: &str) -> bool {
        !self.preferences.groups.iter().any(|folded| folded == group)
    }

    /// Returns whether a person is an agent: a member whose role says so.
    pub(super) fn is_agent(&self, person: &str) -> bool {
        self.agents.contains(person)
    }

    /// Returns the agents, as `Name <email>`.
    pub(super) fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(String::as_str)
    }

    /// Returns the CSS class with the color of a label; neutral without one.
    pub(super) fn label_hue(&self, label: &str) -> &'static str {
        self.label_hues.get(label).copied().unwrap_or(hue::NEUTRAL)
    }

    #[cfg(test)]
    pub(super) fn example(role: app::Role, query: Asked) -> Self {
        Self {
            principal: Principal { name: "x".into(), person: None, role },
            now: Timestamp::UNIX_EPOCH,
            today: jiff::civil::date(2026, 5, 20),
            query,
            preferences: Preferences::default(),
            agents: HashSet::new(),
            label_hues: HashMap::from([("bug".to_owned(), "h-rose")]),
            people: Handles::default(),
        }
    }
}

impl Page {
    /// Creates a page whose heading is an icon and its title.
    pub(super) fn new(title: impl Into<String>, icon: &str, here: Here, body: Markup) -> Self {
        let title = title.into();
        let heading = html! { h1 { (icons::icon(icon)) span class="title" { (title) } } };
        Self { title, here, status: StatusCode::OK, heading, body }
    }
}

impl PageRequest {
    /// Renders a page from the newest state and responds with it; errors are rendered as a page too.
    pub(super) async fn answer(
        self,
        make: impl Fn(&Project, &PageContext) -> Result<Page, Error> + Send + 'static,
    ) -> Response {
        let env = self.shared.context().env;
        let inbox = self.shared.inbox(|inbox| inbox.list(MessageFilter::Unresolved)).await;
        let n_messages =
            inbox.map_or(0, |inbox| inbox.items.iter().filter(|message| message.state == MessageState::Sent).count());
        let look = PageContext {
            principal: self.principal.clone(),
            now: (env.now)(),
            today: (env.today)(),
            query: self.query,
            preferences: self.preferences,
            agents: HashSet::new(),
            label_hues: HashMap::new(),
            people: Handles::default(),
        };
        let theme = look.preferences.theme;
        let principal = self.principal.clone();
        let (person, is_local) = (principal.person.clone(), principal.name == "local");
        let made = self.shared.read_as(&principal, move |project| {
            // Read before the page is rendered: a page may be newer than its state name, never older.
            let mut around = Surroundings::read(project)?;
            around.n_messages = n_messages;
            let context = look.for_project(project)?;
            around.read_agents(project, &context)?;
            let page = make(project, &context).unwrap_or_else(|error| failure(&error));
            Ok((around, page))
        });
        let (mut around, page) =
            made.await.unwrap_or_else(|error| (Surroundings::unknown(person.as_ref()), failure(&error)));
        around.is_local = is_local;
        let headers = [(CACHE_CONTROL, "private, no-cache")];
        let html = shell::whole(&around, &self.principal, theme, &page);
        (page.status, headers, Html(html.into_string())).into_response()
    }
}

impl PageContext {
    fn for_project(&self, project: &Project) -> Result<Self, Error> {
        let members = project.members()?;
        let people = Handles::of(&members);
        let agents = members.into_iter().filter(|member| member.role.to_lowercase().contains("agent"));
        let labels = project.index().declared_labels()?;
        let colored = labels.definitions().iter().filter(|label| label.color.is_some());
        Ok(Self {
            label_hues: colored.map(|label| (label.name.clone(), hue::of(label.color.as_deref()))).collect(),
            principal: self.principal.clone(),
            query: self.query.clone(),
            preferences: self.preferences.clone(),
            people,
            agents: agents.map(|member| format!("{} <{}>", member.name, member.email)).collect(),
            ..*self
        })
    }
}

fn failure(error: &Error) -> Page {
    let (status, heading) = match error.kind {
        ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "This request is not valid"),
        ErrorKind::NotFound => (StatusCode::NOT_FOUND, "Not found"),
        ErrorKind::Conflict => (StatusCode::CONFLICT, "Conflict"),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged => {
            (StatusCode::SERVICE_UNAVAILABLE, "Not available right now")
        }
        ErrorKind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "Internal error"),
    };
    let body = html! {
        div class="empty" {
            div {
                (icons::with_class("logo", "i art"))
                h2 { (heading) }
                // A filter error spans several lines and marks a column, so it is preformatted.
                @if error.message.contains('\n') { pre { (error.message) } } @else { p { (sentence(&error.message)) } }
                @if let Some(hint) = &error.hint { p class="quiet" { (sentence(hint)) } }
                a class="button" href="/" { "Go to the home page" }
            }
        }
    };
    Page { status, ..Page::new(heading, "help", Here::Elsewhere, body) }
}

/// Returns a message as a sentence: with a capital letter and a full stop.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_failure_has_a_status_of_its_own_and_shows_the_hint() {
        let page = failure(&Error::not_found("item not found: `9`").hint("look <elsewhere>"));
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        insta::assert_snapshot!(testkit::redact(&page.body.into_string()), @r#"<div class="empty"><div><svg class="i art" aria-hidden="true"><use href="/assets/<id>/icons.svg#i-logo"></use></svg><h2>Not found</h2><p>Item not found: `9`.</p><p class="quiet">Look &lt;elsewhere&gt;.</p><a class="button" href="/">Go to the home page</a></div></div>"#);
        assert_eq!(failure(&Error::invalid("")).status, StatusCode::BAD_REQUEST);
        assert_eq!(failure(&Error::unavailable("")).status, StatusCode::SERVICE_UNAVAILABLE);
    }
}
