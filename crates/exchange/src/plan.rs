//! The second pass: turns each item of the source into the operations that create or update it here.

mod comments;
mod references;
mod wanted;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use app::Error;
use app::plan::{PlanContext, WritePlan, follow_status};
use jiff::Timestamp;
use jiff::civil::Date;
use model::id::{EntityId, OpId};
use model::imported::{self, ImportSource};
use model::label::LabelDefinition;
use model::op::Change;
use model::person::Person;
use model::text::{check_label, counted, refuse_bad_body};
use serde_json::Value;
use store::{Origin, Step};

use crate::catalog::{Catalog, ParentCycle, Parents};
use crate::clean;
use crate::item::{ImportedItem, ImportedPerson, LeftOut, Record, SourceId};
use crate::labels::Labels;
use crate::numbers::Numbers;
use crate::other_files::OtherFiles;
use crate::people::People;
use crate::report::Report;
use crate::status::Statuses;
use crate::update;
pub(crate) use wanted::Wanted;

/// Steps that are written as one commit; the next ones go into another, so that memory stays bounded.
const STEPS_PER_COMMIT: usize = 20_000;
/// The same, in bytes of text.
const BYTES_PER_COMMIT: usize = 12 * 1024 * 1024;

/// Where plans go.
pub(crate) type Writer<'a> = dyn FnMut(WritePlan) -> Result<(), Error> + 'a;

/// Settings of an import that the planner needs.
pub(crate) struct PlanSettings<'a> {
    /// The name of the source, in ids and marks.
    pub(crate) tool: &'a str,
    /// Whether the source is a format that Cairn itself writes: then mistakes are errors, not left out.
    pub(crate) is_own: bool,
    /// The time of the import.
    pub(crate) now: Timestamp,
    /// The other files of a dry run.
    pub(crate) others: &'a OtherFiles,
}

/// Plans the operations of an import.
pub(crate) struct Planner<'a> {
    context: &'a PlanContext<'a>,
    tool: Arc<str>,
    is_own: bool,
    now: Timestamp,
    catalog: Catalog,
    others: &'a OtherFiles,
    /// Whether the project has no operations yet, so that no item of the input is known.
    is_empty: bool,
    /// Items that wait for an item, by that item.
    blocked: HashMap<EntityId, Vec<EntityId>>,
    statuses: Statuses,
    people: People,
    labels: Labels,
    numbers: Numbers<'a>,
    parents: Parents,
    /// Known items that only got comments: when they changed last before, the change that says so again, and the time
    /// of the last comment.
    commented: BTreeMap<EntityId, (Timestamp, Change, Timestamp)>,
    pub(crate) report: Report,
    /// The key of the value that is looked at, to say where an error is.
    key: Option<&'static str>,
    n_items: usize,
    n_fresh: usize,
    steps: Vec<Step>,
    n_bytes: usize,
    n_written: usize,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(
        context: &'a PlanContext<'a>,
        settings: &PlanSettings<'a>,
        mut catalog: Catalog,
        statuses: Statuses,
    ) -> Result<Self, Error> {
        let numbers = Numbers::new(context.index, std::mem::take(&mut catalog.highest))?;
        let people = std::mem::take(&mut catalog.people);
        Ok(Self {
            context,
            tool: settings.tool.into(),
            is_own: settings.is_own,
            now: settings.now,
            catalog,
            others: settings.others,
            is_empty: context.index.n_ops()? == 0,
            blocked: HashMap::new(),
            statuses,
            people: People::of(context.index, context.me, people)?,
            labels: Labels::default(),
            numbers,
            parents: Parents::default(),
            commented: BTreeMap::new(),
            report: Report::default(),
            key: None,
            n_items: 0,
            n_fresh: 0,
            steps: Vec::new(),
            n_bytes: 0,
            n_written: 0,
        })
    }

    /// Plans one record, and writes a commit when enough operations are planned.
    pub(crate) fn add(&mut self, record: Record, write: &mut Writer<'_>) -> Result<(), Error> {
        match record {
            Record::Item(mut item) => {
                let place = std::mem::take(&mut item.place);
                self.n_items += 1;
                self.add_item(*item).map_err(|error| error.in_context(&place))?;
            }
            Record::Comment { item, mut comment } => {
                clean::comment(&mut comment.body);
                self.add_comment(&item, &comment)?;
            }
            Record::Label(label) => self.declare(&label)?,
            Record::Decision(decision) => self.report.decisions.push(decision),
            Record::LeftOut(left) => self.report.leave_out(left),
        }
        if self.steps.len() >= STEPS_PER_COMMIT || self.n_bytes >= BYTES_PER_COMMIT {
            self.flush(write)?;
        }
        Ok(())
    }

    /// Returns the key of the value that an error is about, if it is about one.
    pub(crate) fn key(&self) -> Option<&'static str> {
        self.key
    }

    /// Returns the number of items of the input so far: the place of the last one, from 1.
    pub(crate) fn n_items(&self) -> usize {
        self.n_items
    }

    /// Finds items of the input that are parts of each other.
    pub(crate) fn find_cycle(&self) -> Result<Option<ParentCycle>, Error> {
        self.parents.find_cycle(self.context)
    }

    /// Writes the remaining operations, and returns the report.
    pub(crate) fn finish(mut self, write: &mut Writer<'_>) -> Result<Report, Error> {
        self.link_known()?;
        self.declare_labels()?;
        self.keep_updated();
        self.flush(write)?;
        Ok(self.report)
    }

    fn flush(&mut self, write: &mut Writer<'_>) -> Result<(), Error> {
        let n_items = self.report.created + self.report.updated - self.n_written;
        self.n_written += n_items;
        self.n_bytes = 0;
        let subject = format!("import {} from {}", counted(n_items, "item"), self.tool);
        write(WritePlan { subject, steps: std::mem::take(&mut self.steps) })
    }

    fn push(&mut self, step: Step) {
        self.n_bytes += weight(&step.change);
        self.steps.push(step);
    }

    fn add_item(&mut self, mut item: ImportedItem) -> Result<(), Error> {
        let id = self.id_of(&item.id);
        if !self.is_own {
            clean::item(&mut item);
        }
        for left in item.left_out.drain(..) {
            self.report.leave_out(left);
        }
        // An empty text would delete the comment.
        item.comments.retain(|comment| !comment.body.is_empty());
        self.key = Some("comments");
        for comment in &item.comments {
            refuse_bad_body("comment", &comment.body)?;
        }
        let wanted = self.wanted(id, &item)?;
        self.key = None;
        item.scope.leave_out(&wanted.unresolved);
        if self.others.has_earlier(id) {
            self.report.unchanged += 1;
            return Ok(());
        }
        // The operations answer everything; the row of an item has to be decoded as well. An item without an id in the source
        // has just got a new one.
        let is_new = self.is_empty || item.id == SourceId::None;
        let ops = if is_new { Vec::new() } else { self.context.index.ops(id)? };
        let known = match item.id {
            _ if ops.is_empty() => return self.create(id, &item, wanted),
            SourceId::Own(_) => update::KnownItem::of_own_file(id, ops, item.updated),
            _ => update::KnownItem::of(id, ops, &self.tool),
        };
        if !known.is_item() {
            return self.create(id, &item, wanted);
        }
        if known.now.is_deleted() && !item.deleted {
            let which = model::text::escape_line(&item.title);
            self.report.leave_out(LeftOut::new("item", "it was deleted here", which));
            return Ok(());
        }
        self.update(id, &item, wanted, &known)
    }

    fn id_of(&mut self, id: &SourceId) -> EntityId {
        match id {
            SourceId::Of(id) => ImportSource::entity(&self.tool, id),
            SourceId::Own(id) => *id,
            SourceId::None => {
                self.n_fresh += 1;
                self.catalog.fresh(self.n_fresh - 1).unwrap_or_else(|| self.context.new_entity())
            }
        }
    }

    fn create(&mut self, id: EntityId, item: &ImportedItem, mut wanted: Wanted) -> Result<(), Error> {
        let number = self.numbers.take(item.kind.space(), item.number)?;
        let author = self.person(item.author.as_ref());
        let created = item.created.or(item.updated).or(item.closed).unwrap_or(self.now);
        let closing = self.closing(item, &mut wanted);
        let mut later = self.comment_steps(id, item);
        later.extend(closing.map(|(at, by, change)| (at, by, None, change)));
        later.sort_by_key(|(at, ..)| *at);
        if let Some(updated) = item.updated.filter(|at| *at != later.last().map_or(created, |last| last.0)) {
            // Written last, so that `updated` of the item is the source's.
            let (name, value) = last_field(&wanted);
            later.push((updated, author.clone(), None, Change::Set { field: name.to_owned(), value }));
        }
        if item.deleted {
            later.push((item.updated.unwrap_or(created), author.clone(), None, Change::Delete));
        }
        let Wanted { mut fields, sets, .. } = wanted;
        fields.retain(|_, value| !value.is_null());
        let kind = item.kind.name().to_owned();
        let creation = Change::Create { kind, number: Some(number), fields, sets };
        self.push(self.step(id, creation, created, author, None));
        for (at, by, op, change) in later {
            self.push(self.step(id, change, at, by, op));
        }
        self.report.created += 1;
        self.count_comments(item, 0);
        Ok(())
    }

    fn count_comments(&mut self, item: &ImportedItem, n_known: usize) {
        let n_counted = usize::try_from(item.n_comments).unwrap_or(0);
        if let (true, SourceId::Of(id)) = (n_counted > n_known, &item.id) {
            self.report.count_comments(n_counted - n_known, id);
        }
    }

    /// Returns the change that closes an item, apart from its creation, so that charts show when it was open.
    fn closing(&mut self, item: &ImportedItem, wanted: &mut Wanted) -> Option<(Timestamp, Person, Change)> {
        let at = item.closed.filter(|at| wanted.status.closed && item.created.is_some_and(|created| created < *at))?;
        let initial = self.statuses.initial(item.kind).to_owned();
        let by = self.person(item.closed_by.as_ref().or(item.author.as_ref()));
        let status = wanted.fields.insert("status".to_owned(), initial.into()).unwrap_or_default();
        Some((at, by, Change::Set { field: "status".to_owned(), value: status }))
    }

    fn update(
        &mut self,
        id: EntityId,
        item: &ImportedItem,
        mut wanted: Wanted,
        known: &update::KnownItem,
    ) -> Result<(), Error> {
        if let Some(parent) = wanted.fields.get("parent").and_then(Value::as_str).and_then(|text| text.parse().ok()) {
            self.parents.add(id, parent, self.n_items);
        }
        if let Some(related) = wanted.sets.get_mut("relates").filter(|related| !known.has_members("relates", related)) {
            self.leave_out_back_links(id, related)?;
        }
        self.count_comments(item, known.now.comments().len());
        let is_read = |other: &str| item.is_own() || other.parse().is_ok_and(|other| self.catalog.contains(other));
        let mut changes = known.changes(&wanted, &item.scope, is_read);
        changes.extend(self.completed(item, &wanted, known, &changes));
        if item.deleted && !known.now.is_deleted() {
            changes.push(Change::Delete);
        }
        let mut steps = self.new_comments(id, item, known);
        if changes.is_empty() && steps.is_empty() {
            self.report.unchanged += 1;
            return Ok(());
        }
        let (before, again) = known.last_change(self.now);
        // A file of Cairn is edited here and now; another source has its own times.
        let default = if item.is_own() && !changes.is_empty() { self.now } else { before };
        let at = item.updated.filter(|at| *at > before).unwrap_or(default).max(before);
        steps.extend(self.closing_steps(id, item, &wanted, &mut changes));
        let is_rest_empty = changes.is_empty();
        let me = self.context.me.clone();
        steps.extend(changes.into_iter().map(|change| self.step(id, change, at, me.clone(), None)));
        if is_rest_empty {
            // Otherwise the time of a comment, or of the closing, would be that of the last change.
            steps.push(self.unmarked(id, again, at));
        }
        for step in steps {
            self.push(step);
        }
        self.report.updated += 1;
        Ok(())
    }

    fn new_comments(&mut self, id: EntityId, item: &ImportedItem, known: &update::KnownItem) -> Vec<Step> {
        let mut steps = Vec::new();
        for (comment, op) in item.comments.iter().zip(comments::comment_ids(&self.tool, id, &item.comments)) {
            let Some((change, op)) = known.comment(op, &comment.body) else { continue };
            let by = self.person(comment.author.as_ref());
            steps.push(self.step(id, change, comment.created.unwrap_or(self.now), by, op));
            self.report.comments += 1;
        }
        steps
    }

    /// Takes the changes that close a known item, if its source says who closed it and when.
    fn closing_steps(
        &mut self,
        id: EntityId,
        item: &ImportedItem,
        wanted: &Wanted,
        changes: &mut Vec<Change>,
    ) -> Vec<Step> {
        let is_closing = |change: &Change| matches!(change, Change::Set { field, .. } if field == "status");
        // The link to the source, which carries the time of the last change afterwards.
        let has_link = matches!(item.id, SourceId::Of(_));
        let Some(at) = item.closed.filter(|_| has_link && wanted.status.closed && changes.iter().any(is_closing))
        else {
            return Vec::new();
        };
        let by = match &item.closed_by {
            Some(person) => self.person(Some(person)),
            None => self.context.me.clone(),
        };
        let is_of_closing = |change: &mut Change| matches!(change, Change::Set { field, .. } if field == "status" || field == "completed");
        let closing: Vec<Change> = changes.extract_if(.., is_of_closing).collect();
        closing.into_iter().map(|change| self.step(id, change, at, by.clone(), None)).collect()
    }

    /// Returns the change of the day on which an item was completed, if the source changes its status and says no day.
    fn completed(
        &self,
        item: &ImportedItem,
        wanted: &Wanted,
        known: &update::KnownItem,
        changes: &[Change],
    ) -> Option<Change> {
        let has_status = changes.iter().any(|change| matches!(change, Change::Set { field, .. } if field == "status"));
        if !has_status || item.scope.has("completed") {
            return None;
        }
        let day: Option<Date> = known.now.text("completed").parse().ok();
        follow_status(wanted.status.closed.then_some(self.context.today), day)
    }

    fn declare(&mut self, label: &LabelDefinition) -> Result<(), Error> {
        let name = self.label_name(&label.name);
        if !name.is_empty() {
            self.labels.add_declared(check_label(&name)?, label);
        }
        Ok(())
    }

    fn declare_labels(&mut self) -> Result<(), Error> {
        let declaration = std::mem::take(&mut self.labels).into_changes(self.context, &self.others.labels)?;
        for (entity, change) in declaration.changes {
            let step = self.step(entity, change, self.now, self.context.me.clone(), None);
            self.push(step);
        }
        self.report.labels += declaration.names.len();
        self.report.declared.extend(declaration.names);
        Ok(())
    }

    fn label_name(&self, label: &str) -> String {
        if self.is_own { label.to_owned() } else { clean::label(label) }
    }

    fn step(&self, entity: EntityId, change: Change, at: Timestamp, by: Person, id: Option<OpId>) -> Step {
        Step::imported(entity, change, Origin { at, by, imported: Some(Arc::clone(&self.tool)), id })
    }

    // Not marked as imported: its value is the one here, not the source's.
    fn unmarked(&self, entity: EntityId, change: Change, at: Timestamp) -> Step {
        Step::imported(entity, change, Origin { at, by: self.context.me.clone(), imported: None, id: None })
    }

    fn person(&mut self, person: Option<&ImportedPerson>) -> Person {
        let is_me = |person: &&ImportedPerson| self.is_own && person.name == "me" && person.email.is_empty();
        let Some(person) = person.filter(|person| !is_me(person)) else { return self.context.me.clone() };
        let found = self.people.find(person);
        self.report.map("person", person.shown(), &found.to_string());
        found
    }
}

/// Returns a field that can be written again with its value, to carry the time of the last change.
fn last_field(wanted: &Wanted) -> (&'static str, Value) {
    match wanted.fields.get(imported::FIELD) {
        Some(link) => (imported::FIELD, link.clone()),
        None => ("status", wanted.status.name.clone().into()),
    }
}

// Roughly the size of an operation; only texts can be large.
fn weight(change: &Change) -> usize {
    let of_value = |value: &Value| value.as_str().map_or(32, str::len);
    300 + match change {
        Change::Create { fields, .. } => fields.values().map(of_value).sum(),
        Change::Set { value, .. } => of_value(value),
        Change::Comment { body } | Change::EditComment { body, .. } => body.len(),
        _ => 0,
    }
}
