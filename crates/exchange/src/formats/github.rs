//! GitHub: issues as the REST interface and `gh issue list --json` give them; comments, milestones and labels also from
//! files of their own. Pull requests are left out.

pub(crate) mod write;

use std::collections::HashSet;

use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use serde::Deserialize;
use serde_json::Value;

use super::{Label, ReadOptions, Sink, json, label_definition, times};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId, Target};

/// An issue, a comment, a milestone or a label: the keys tell which. Names of keys are those of the REST interface; `gh` has
/// the aliases.
#[derive(Debug, Deserialize)]
struct Element {
    number: Option<u64>,
    // Only labels have these two.
    name: Option<String>,
    color: Option<String>,
    title: Option<String>,
    body: Option<String>,
    description: Option<String>,
    state: Option<String>,
    #[serde(alias = "stateReason")]
    state_reason: Option<String>,
    #[serde(alias = "url")]
    url: Option<String>,
    html_url: Option<String>,
    id: Option<Value>,
    #[serde(alias = "author", alias = "creator", default, deserialize_with = "user_or_ghost")]
    user: Option<User>,
    #[serde(alias = "closedBy")]
    closed_by: Option<User>,
    #[serde(default)]
    assignees: Vec<User>,
    #[serde(default)]
    labels: Vec<Label>,
    milestone: Option<Milestone>,
    #[serde(alias = "createdAt")]
    created_at: Option<Timestamp>,
    #[serde(alias = "updatedAt")]
    updated_at: Option<Timestamp>,
    #[serde(alias = "closedAt")]
    closed_at: Option<Timestamp>,
    /// A number from the REST interface, the comments themselves from `gh`.
    comments: Option<Comments>,
    pull_request: Option<Value>,
    /// Only comments have it.
    issue_url: Option<String>,
    /// Only milestones have it.
    open_issues: Option<u64>,
    #[serde(alias = "dueOn")]
    due_on: Option<String>,
    parent_issue_url: Option<String>,
    #[serde(rename = "type")]
    type_: Option<IssueType>,
    reactions: Option<Reactions>,
}

#[derive(Debug, Deserialize)]
struct User {
    #[serde(default)]
    login: String,
    name: Option<String>,
    email: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Milestone {
    number: Option<u64>,
    title: String,
    description: Option<String>,
    state: Option<String>,
    #[serde(alias = "dueOn")]
    due_on: Option<String>,
    creator: Option<User>,
    #[serde(alias = "createdAt")]
    created_at: Option<Timestamp>,
    #[serde(alias = "updatedAt")]
    updated_at: Option<Timestamp>,
    #[serde(alias = "closedAt")]
    closed_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Comments {
    Count(#[expect(dead_code, reason = "the comments themselves are in another file")] u64),
    Whole(Vec<Comment>),
}

#[derive(Debug, Deserialize)]
struct Comment {
    id: Option<Value>,
    url: Option<String>,
    #[serde(alias = "author", default, deserialize_with = "user_or_ghost")]
    user: Option<User>,
    #[serde(default)]
    body: String,
    #[serde(alias = "createdAt")]
    created_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
struct IssueType {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Reactions {
    #[serde(default)]
    total_count: u64,
}

/// Reads issues, comments, milestones and labels.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut milestones = HashSet::new();
    let mut n = 0;
    json::each_element(input, |element: Element| {
        n += 1;
        if element.pull_request.is_some() || element.page().is_some_and(|url| url.contains("/pull/")) {
            let is_comment = element.issue_url.is_some();
            let what = if is_comment { "comment of a pull request" } else { "pull request" };
            let number = element.number.map(|number| number.to_string());
            let which = number.or_else(|| element.issue_url?.rsplit('/').next().map(str::to_owned));
            let which = which.map_or_else(String::new, |number| format!("#{number}"));
            return sink(Record::LeftOut(LeftOut { what, why: "it is not work to be planned", which }));
        }
        if let Some(issue) = element.issue_url.as_deref().and_then(issue_of_url) {
            return sink(Record::Comment { item: issue, comment: element.into_comment() });
        }
        if let (Some(name), Some(color)) = (&element.name, &element.color) {
            return sink(Record::Label(label_definition(name, Some(color), element.description)));
        }
        let project = element.project(options);
        let place = format!("`{}`: element {n}", input.name());
        if element.open_issues.is_some() {
            let milestone = element.into_milestone(&place)?;
            return emit_milestone(&project, &place, milestone, &mut milestones, sink);
        }
        let (item, milestone) = element.into_item(place.clone(), &project)?;
        if let Some(milestone) = milestone {
            emit_milestone(&project, &place, milestone, &mut milestones, sink)?;
        }
        sink(Record::Item(Box::new(item)))
    })
}

impl Element {
    fn page(&self) -> Option<&str> {
        self.html_url.as_deref().or(self.url.as_deref())
    }

    /// Returns `owner/name`, from the address or as the caller says it.
    fn project(&self, options: &ReadOptions) -> String {
        let from_page = self.page().and_then(project_of_url);
        from_page.or_else(|| options.project.clone()).unwrap_or_default()
    }

    fn into_comment(self) -> ImportedComment {
        let page = self.html_url.or(self.url);
        let comment = Comment {
            id: self.id,
            url: page,
            user: self.user,
            body: self.body.unwrap_or_default(),
            created_at: self.created_at,
        };
        comment.into_imported()
    }

    fn into_milestone(self, place: &str) -> Result<Milestone, Error> {
        Ok(Milestone {
            number: self.number,
            title: self.title.ok_or_else(|| Error::invalid(format!("{place}: the milestone has no title")))?,
            description: self.description,
            state: self.state,
            due_on: self.due_on,
            creator: self.user,
            created_at: self.created_at,
            updated_at: self.updated_at,
            closed_at: self.closed_at,
        })
    }

    fn into_item(self, place: String, project: &str) -> Result<(ImportedItem, Option<Milestone>), Error> {
        let missing = |what: &str| {
            Error::invalid(format!("{place}: the issue has no `{what}`"))
                .hint("ask `gh issue list --json` for number,title,body,state,url,… as the guide shows")
        };
        let number = self.number.ok_or_else(|| missing("number"))?;
        let title = self.title.clone().ok_or_else(|| missing("title"))?;
        let id = SourceId::Of(format!("{project}#{number}"));
        let url = self.page().map(str::to_owned);
        let mut item = ImportedItem::new(place, id, ItemKind::Issue, title);
        item.number = Some(number);
        item.url = url;
        item.description = self.body.unwrap_or_default();
        item.status = status(self.state.as_deref(), self.state_reason.as_deref());
        item.type_ = self.type_.map(|type_| type_.name);
        self.labels.into_iter().for_each(|label| label.add_to(&mut item));
        item.author = self.user.and_then(User::into_person);
        item.closed_by = self.closed_by.and_then(User::into_person);
        item.assignees = self.assignees.into_iter().filter_map(User::into_person).collect();
        item.created = self.created_at;
        item.updated = self.updated_at;
        item.closed = self.closed_at;
        item.milestone = self.milestone.as_ref().map(|milestone| Target::Id(milestone_id(project, milestone)));
        item.parent = self.parent_issue_url.as_deref().and_then(issue_of_url).map(Target::Id);
        if let Some(Comments::Whole(comments)) = self.comments {
            item.comments = comments.into_iter().map(Comment::into_imported).collect();
        }
        if self.reactions.is_some_and(|reactions| reactions.total_count > 0) {
            item.leave_out("reactions", "there is no place for them", format!("#{number}"));
        }
        Ok((item, self.milestone))
    }
}

// Who deleted their account is `null`, and shown as `ghost`. Without the key, nobody asked for the author.
fn user_or_ghost<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<User>, D::Error> {
    let ghost = || User { login: "ghost".to_owned(), name: None, email: None };
    Option::<User>::deserialize(deserializer).map(|user| Some(user.unwrap_or_else(ghost)))
}

impl User {
    fn into_person(self) -> Option<ImportedPerson> {
        let Self { login, name, email } = self;
        ImportedPerson { name: name.unwrap_or_default(), email: email.unwrap_or_default(), username: login }.known()
    }
}

impl Comment {
    fn into_imported(self) -> ImportedComment {
        // The REST interface and `gh` give different ids, but the same address.
        let in_url = self.url.as_deref().and_then(|url| url.rsplit_once("#issuecomment-")).map(|(_, id)| id.to_owned());
        let id = in_url.or_else(|| self.id.map(|id| id.to_string().trim_matches('"').to_owned()));
        ImportedComment {
            id: id.map_or(SourceId::None, SourceId::Of),
            author: self.user.and_then(User::into_person),
            created: self.created_at,
            body: self.body,
        }
    }
}

fn emit_milestone(
    project: &str,
    place: &str,
    milestone: Milestone,
    known: &mut HashSet<String>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let id = milestone_id(project, &milestone);
    if !known.insert(id.clone()) {
        return Ok(());
    }
    let mut item = ImportedItem::new(place, SourceId::Of(id), ItemKind::Milestone, milestone.title);
    item.number = milestone.number;
    item.description = milestone.description.unwrap_or_default();
    item.status = status(milestone.state.as_deref(), None);
    item.due = milestone.due_on.as_deref().map(times::day).transpose().map_err(Error::invalid)?;
    item.author = milestone.creator.and_then(User::into_person);
    item.created = milestone.created_at;
    item.updated = milestone.updated_at;
    item.closed = milestone.closed_at;
    sink(Record::Item(Box::new(item)))
}

fn milestone_id(project: &str, milestone: &Milestone) -> String {
    let name = milestone.number.map_or_else(|| milestone.title.clone(), |number| number.to_string());
    format!("{project}/milestone/{name}")
}

// Only a reason that says more than "closed" is a status of its own.
fn status(state: Option<&str>, reason: Option<&str>) -> ImportedStatus {
    let is_closed = state.is_some_and(|state| state.eq_ignore_ascii_case("closed"));
    let reason = reason.map(str::to_lowercase).filter(|reason| is_closed && reason != "completed");
    ImportedStatus::known(reason.unwrap_or_default(), is_closed)
}

/// Returns `owner/name` of an address such as `https://github.com/owner/name/issues/1`.
fn project_of_url(url: &str) -> Option<String> {
    let path = url.split_once("://")?.1.split_once('/')?.1;
    let path = path.strip_prefix("repos/").unwrap_or(path);
    let mut parts = path.split('/');
    let (owner, name) = (parts.next()?, parts.next()?);
    matches!(parts.next(), Some("issues" | "milestone" | "milestones" | "pull")).then(|| format!("{owner}/{name}"))
}

/// Returns the id of the issue at an address.
fn issue_of_url(url: &str) -> Option<String> {
    let number = url.rsplit('/').next()?.split('#').next()?;
    Some(format!("{}#{number}", project_of_url(url)?))
}
