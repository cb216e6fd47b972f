//! GitHub: issues as the REST interface and `gh issue list --json` give them; comments, milestones and labels also from
//! files of their own. Pull requests are left out.

mod shapes;
pub(crate) mod write;

use std::collections::HashSet;

use app::Error;
use model::imported;
use model::item::{ASSIGNEES, ItemKind};

use super::repeated::RepeatedElements;
use super::{ReadOptions, Sink, json, label_definition, times};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedStatus, LeftOut, Record, SourceId, Target};
use shapes::{Comment, Comments, Element, Milestone, User};

/// Reads issues, comments, milestones and labels.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut milestones = HashSet::new();
    let mut repeated = RepeatedElements::default();
    let mut n = 0;
    json::each_element(input, |element: Element| {
        n += 1;
        if element.pull_request.is_some() || element.page().is_some_and(|url| url.contains("/pull/")) {
            let is_comment = element.issue_url.is_some();
            let what = if is_comment { "comment of a pull request" } else { "pull request" };
            let number = element.number.map(|number| number.to_string());
            let which = number.or_else(|| element.issue_url?.rsplit('/').next().map(str::to_owned));
            let which = which.map_or_else(String::new, |number| format!("#{number}"));
            return sink(Record::LeftOut(LeftOut::new(what, "it is not work to be planned", which)));
        }
        if let Some(issue) = element.issue_url.as_deref().and_then(issue_of_url) {
            let comment = element.into_comment();
            return sink(repeated.check_comment(Record::Comment { item: issue, comment }));
        }
        if let (Some(name), Some(color)) = (&element.name, &element.color) {
            return sink(Record::Label(label_definition(name, Some(color), element.description.value)));
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
        sink(repeated.check_item(item))
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
            body: self.body.value.unwrap_or_default(),
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
        let missing = |what: &str| match &self.message {
            Some(message) => {
                let message = model::text::escape_line(message);
                Error::invalid(format!("{place}: not an issue, but an answer of the server: {message}"))
            }
            None => Error::invalid(format!("{place}: the issue has no `{what}`"))
                .hint("ask `gh issue list --json` for number,title,body,state,url,… as the guide shows"),
        };
        let number = self.number.ok_or_else(|| missing("number"))?;
        let title = self.title.clone().ok_or_else(|| missing("title"))?;
        let id = SourceId::Of(format!("{project}#{number}"));
        let mut item = ImportedItem::new(place, id, ItemKind::Issue, title);
        self.narrow(&mut item);
        item.number = Some(number);
        item.url = self.page().map(str::to_owned);
        item.description = self.body.value.unwrap_or_default();
        item.status = status(self.state.as_deref(), self.state_reason.as_deref());
        item.type_ = self.type_.value.map(|type_| type_.name);
        self.labels.value.into_iter().flatten().for_each(|label| label.add_to(&mut item));
        item.author = self.user.and_then(User::into_person);
        item.closed_by = self.closed_by.and_then(User::into_person);
        let assignees = self.assignees.value.unwrap_or_else(|| self.assignee.into_iter().collect());
        item.assignees = assignees.into_iter().filter_map(User::into_person).collect();
        item.created = self.created_at;
        item.updated = self.updated_at;
        item.closed = self.closed_at;
        let milestone = self.milestone.value;
        item.milestone = milestone.as_ref().map(|milestone| Target::Id(milestone_id(project, milestone)));
        let parent = self.parent_issue_url.or_else(|| self.parent.value?.url);
        item.parent = parent.as_deref().and_then(issue_of_url).map(Target::Id);
        match self.comments {
            Some(Comments::Whole(comments)) => {
                item.comments = comments.into_iter().map(Comment::into_imported).collect();
            }
            Some(Comments::Count(n_comments)) => item.n_comments = n_comments,
            None => {}
        }
        let left_out = [
            (
                "reactions",
                "there is no place for them",
                self.reactions.is_some_and(|reactions| reactions.total_count > 0),
            ),
            ("lock", "everyone who can write may comment", self.locked),
            (
                "blocked by",
                "the file has only the number of these issues",
                self.issue_dependencies_summary.is_some_and(|summary| summary.total_blocked_by > 0),
            ),
        ];
        for (what, why, _) in left_out.into_iter().filter(|(.., is_there)| *is_there) {
            item.leave_out(what, why, format!("#{number}"));
        }
        Ok((item, milestone))
    }

    /// Leaves out of the item's scope what the file does not say.
    fn narrow(&self, item: &mut ImportedItem) {
        let has_state = self.state.is_some();
        // The REST interface writes the parent only of an issue that has one.
        let has_parent = self.html_url.is_some() || self.parent_issue_url.is_some() || self.parent.is_given;
        let said: [(bool, &[&'static str]); 7] = [
            (self.body.is_given, &["description"]),
            (has_state, &["status", "completed", imported::FIELD]),
            (self.labels.is_given, &["labels"]),
            (self.assignees.is_given || self.assignee.is_some(), &["assignee", ASSIGNEES]),
            (self.milestone.is_given, &["milestone"]),
            (has_parent, &["parent"]),
            (self.type_.is_given, &["type"]),
        ];
        said.into_iter().filter(|(is_said, _)| !is_said).for_each(|(_, fields)| item.scope.leave_out(fields));
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
    // `gh` gives the milestones of issues without their states.
    let said: [(bool, &[&'static str]); 3] = [
        (milestone.description.is_given, &["description"]),
        (milestone.state.is_some(), &["status", "completed", imported::FIELD]),
        (milestone.due_on.is_given, &["due"]),
    ];
    said.into_iter().filter(|(is_said, _)| !is_said).for_each(|(_, fields)| item.scope.leave_out(fields));
    item.description = milestone.description.value.unwrap_or_default();
    item.status = status(milestone.state.as_deref(), None);
    let due = milestone.due_on.value.filter(|due| !due.is_empty());
    item.due = due.as_deref().map(times::day).transpose().map_err(Error::invalid)?;
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

/// Returns `owner/name` of an address such as `https://github.com/owner/name/issues/1`. Other servers have their interface, or
/// all of it, below another path: `https://git.example.com/api/v3/repos/owner/name/issues/1`.
fn project_of_url(url: &str) -> Option<String> {
    let parts: Vec<&str> = url.split_once("://")?.1.split('/').skip(1).collect();
    let is_list = |part: &&str| matches!(*part, "issues" | "milestone" | "milestones" | "pull" | "pulls");
    let end = parts.iter().rposition(is_list).filter(|end| *end >= 2)?;
    Some(format!("{}/{}", parts[end - 2], parts[end - 1]))
}

/// Returns the id of the issue at an address.
fn issue_of_url(url: &str) -> Option<String> {
    let number = url.rsplit('/').next()?.split('#').next()?;
    Some(format!("{}#{number}", project_of_url(url)?))
}
