//! The second pass: turns each item of the source into the operations that create or update it here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use app::Error;
use app::plan::{PlanContext, WritePlan};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::field::{Field, FieldChange, FieldValue};
use model::id::{EntityId, OpId};
use model::imported::{self, ImportSource};
use model::item::{ASSIGNEES, ItemKind};
use model::item_ref::ItemRef;
use model::label::LabelDefinition;
use model::op::Change;
use model::person::Person;
use model::text::{check_body, check_label, check_line, refuse_bad_body};
use serde_json::Value;
use store::format::v1::is_too_deep;
use store::{Origin, Step};

use crate::catalog::{Catalog, Parents};
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, LeftOut, Record, SourceId, Target};
use crate::labels::Labels;
use crate::numbers::Numbers;
use crate::people::{KnownPeople, People};
use crate::report::Report;
use crate::status::{MappedStatus, Statuses};
use crate::update;

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
}

/// Plans the operations of an import.
pub(crate) struct Planner<'a> {
    context: &'a PlanContext<'a>,
    tool: Arc<str>,
    is_own: bool,
    now: Timestamp,
    catalog: Catalog,
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
    n_fresh: usize,
    steps: Vec<Step>,
    n_bytes: usize,
    n_written: usize,
}

/// The state that the source wants an item to have.
pub(crate) struct Wanted {
    pub(crate) fields: BTreeMap<String, Value>,
    pub(crate) sets: BTreeMap<String, Vec<String>>,
    status: MappedStatus,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(
        context: &'a PlanContext<'a>,
        settings: &PlanSettings<'_>,
        mut catalog: Catalog,
        statuses: Statuses,
    ) -> Result<Self, Error> {
        let numbers = Numbers::new(context.index, std::mem::take(&mut catalog.highest))?;
        // Exports of Cairn are imported unchanged, also a person with an address only.
        let people = if settings.is_own { KnownPeople::default() } else { std::mem::take(&mut catalog.people) };
        let mut planner = Self {
            context,
            tool: settings.tool.into(),
            is_own: settings.is_own,
            now: settings.now,
            catalog,
            is_empty: context.index.n_ops()? == 0,
            blocked: HashMap::new(),
            statuses,
            people: People::of(context.index, context.me, people)?,
            labels: Labels::default(),
            numbers,
            parents: Parents::default(),
            commented: BTreeMap::new(),
            report: Report::default(),
            n_fresh: 0,
            steps: Vec::new(),
            n_bytes: 0,
            n_written: 0,
        };
        planner.resolve_blocked()?;
        Ok(planner)
    }

    // The log stores the link at the blocking item; many sources store it at the blocked one.
    fn resolve_blocked(&mut self) -> Result<(), Error> {
        for (blocker, waiting) in self.catalog.take_blocked() {
            if let Some(blocker) = self.target("blocked by", None, &blocker)? {
                self.blocked.entry(blocker).or_default().push(waiting);
            }
        }
        Ok(())
    }

    /// Plans one record, and writes a commit when enough operations are planned.
    pub(crate) fn add(&mut self, record: Record, write: &mut Writer<'_>) -> Result<(), Error> {
        match record {
            Record::Item(mut item) => {
                let place = std::mem::take(&mut item.place);
                self.add_item(*item).map_err(|error| error.in_context(&place))?;
            }
            Record::Comment { item, mut comment } => {
                use_line_feeds(&mut comment.body);
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

    /// Writes the remaining operations, and returns the report.
    pub(crate) fn finish(mut self, write: &mut Writer<'_>) -> Result<Report, Error> {
        self.link_known()?;
        self.declare_labels()?;
        self.keep_updated();
        self.parents.refuse_cycles(self.context)?;
        self.flush(write)?;
        Ok(self.report)
    }

    fn flush(&mut self, write: &mut Writer<'_>) -> Result<(), Error> {
        let n_items = self.report.created + self.report.updated - self.n_written;
        self.n_written += n_items;
        self.n_bytes = 0;
        let subject = format!("import {n_items} items from {}", self.tool);
        write(WritePlan { subject, steps: std::mem::take(&mut self.steps) })
    }

    fn push(&mut self, step: Step) {
        self.n_bytes += weight(&step.change);
        self.steps.push(step);
    }

    fn add_item(&mut self, mut item: ImportedItem) -> Result<(), Error> {
        let id = self.id_of(&item.id);
        for left in item.left_out.drain(..) {
            self.report.leave_out(left);
        }
        if !self.is_own {
            use_line_feeds(&mut item.description);
            item.comments.iter_mut().for_each(|comment| use_line_feeds(&mut comment.body));
        }
        // An empty text would delete the comment.
        item.comments.retain(|comment| !comment.body.is_empty());
        for comment in &item.comments {
            refuse_bad_body("comment", &comment.body)?;
        }
        let wanted = self.wanted(id, &item)?;
        // The operations answer everything; the row of an item has to be decoded as well. An item without an id in the source
        // has just got a new one.
        let is_new = self.is_empty || item.id == SourceId::None;
        let ops = if is_new { Vec::new() } else { self.context.index.ops(id)? };
        let known = match item.id {
            _ if ops.is_empty() => return self.create(id, &item, wanted),
            SourceId::Own(_) => update::Known::of_own_file(id, ops),
            _ => update::Known::of(id, ops),
        };
        if !known.is_item() {
            return self.create(id, &item, wanted);
        }
        if known.now.is_deleted() && !item.deleted {
            let which = model::text::escape_line(&item.title);
            self.report.leave_out(LeftOut { what: "item", why: "it was deleted here", which });
            return Ok(());
        }
        self.update(id, &item, &wanted, &known);
        Ok(())
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
        later.extend(closing.into_iter().flat_map(|(at, by, changes)| {
            changes.into_iter().map(move |change| (at, by.clone(), None, change)).collect::<Vec<_>>()
        }));
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
        Ok(())
    }

    /// Returns the changes that close an item, apart from its creation, so that charts show when it was open.
    fn closing(&mut self, item: &ImportedItem, wanted: &mut Wanted) -> Option<(Timestamp, Person, Vec<Change>)> {
        let at = item.closed.filter(|at| wanted.status.closed && item.created.is_some_and(|created| created < *at))?;
        let initial = self.statuses.initial(item.kind).to_owned();
        let by = self.person(item.closed_by.as_ref().or(item.author.as_ref()));
        let status = wanted.fields.insert("status".to_owned(), initial.into()).unwrap_or_default();
        let mut changes = vec![Change::Set { field: "status".to_owned(), value: status }];
        if let Some(value) = wanted.fields.remove("completed") {
            changes.push(Change::Set { field: "completed".to_owned(), value });
        }
        Some((at, by, changes))
    }

    fn comment_steps(&mut self, id: EntityId, item: &ImportedItem) -> Vec<(Timestamp, Person, Option<OpId>, Change)> {
        let mut steps = Vec::new();
        for (n, comment) in item.comments.iter().enumerate() {
            let op = comment_id(&self.tool, &id.to_string(), comment, n);
            let by = self.person(comment.author.as_ref());
            let at = comment.created.or(item.created).unwrap_or(self.now);
            steps.push((at, by, Some(op), Change::Comment { body: comment.body.clone() }));
            self.report.comments += 1;
        }
        steps
    }

    fn update(&mut self, id: EntityId, item: &ImportedItem, wanted: &Wanted, known: &update::Known) {
        if let Some(parent) = wanted.fields.get("parent").and_then(Value::as_str).and_then(|text| text.parse().ok()) {
            self.parents.add(id, parent);
        }
        let mut changes = known.changes(wanted);
        if item.deleted && !known.now.is_deleted() {
            changes.push(Change::Delete);
        }
        let mut steps = Vec::new();
        for (n, comment) in item.comments.iter().enumerate() {
            let op = comment_id(&self.tool, &id.to_string(), comment, n);
            let Some((change, op)) = known.comment(op, &comment.body) else { continue };
            let by = self.person(comment.author.as_ref());
            steps.push(self.step(id, change, comment.created.unwrap_or(self.now), by, op));
            self.report.comments += 1;
        }
        if changes.is_empty() && steps.is_empty() {
            self.report.unchanged += 1;
            return;
        }
        let (before, again) = known.last_change(self.now);
        let at = item.updated.unwrap_or(before).max(before);
        let is_only_commented = changes.is_empty();
        let me = self.context.me.clone();
        steps.extend(changes.into_iter().map(|change| self.step(id, change, at, me.clone(), None)));
        if is_only_commented {
            steps.push(self.unmarked(id, again, at));
        }
        for step in steps {
            self.push(step);
        }
        self.report.updated += 1;
    }

    fn add_comment(&mut self, item: &str, comment: &ImportedComment) -> Result<(), Error> {
        let id = ImportSource::entity(&self.tool, item);
        let op = comment_id(&self.tool, &id.to_string(), comment, 0);
        let body = check_body("comment", &comment.body)?;
        let at = comment.created.unwrap_or(self.now);
        let change = if self.catalog.contains(id) {
            Some((Change::Comment { body }, Some(op)))
        } else if self.context.index.item(id)?.is_some() {
            let known = update::Known::of(id, self.context.index.ops(id)?);
            let change = known.comment(op, &body);
            if change.is_some() {
                let (before, again) = known.last_change(self.now);
                self.commented.entry(id).or_insert((before, again, at)).2 = at;
            }
            change
        } else {
            let which = model::text::escape_line(item);
            self.report.leave_out(LeftOut { what: "comment", why: "its item was not imported", which });
            None
        };
        if let Some((change, op)) = change {
            let by = self.person(comment.author.as_ref());
            self.push(self.step(id, change, at, by, op));
            self.report.comments += 1;
        }
        Ok(())
    }

    // A comment that is older than the last change must not become the time of the last change.
    fn keep_updated(&mut self) {
        for (id, (before, again, last)) in std::mem::take(&mut self.commented) {
            if before > last {
                self.push(self.unmarked(id, again, before));
            }
        }
    }

    fn declare(&mut self, label: &LabelDefinition) -> Result<(), Error> {
        let name = self.label_name(&label.name);
        if !name.is_empty() {
            self.labels.add_declared(check_label(&name)?, label);
        }
        Ok(())
    }

    fn declare_labels(&mut self) -> Result<(), Error> {
        let (changes, n_labels) = std::mem::take(&mut self.labels).into_changes(self.context)?;
        for (entity, change) in changes {
            let step = self.step(entity, change, self.now, self.context.me.clone(), None);
            self.push(step);
        }
        self.report.labels += n_labels;
        Ok(())
    }

    // Other tools allow commas in labels.
    fn label_name(&self, label: &str) -> String {
        if self.is_own {
            return label.to_owned();
        }
        label.replace(',', " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    // Links of known items that the input has not.
    fn link_known(&mut self) -> Result<(), Error> {
        for (blocker, waiting) in std::mem::take(&mut self.blocked) {
            let Some(entity) = self.context.index.entity(blocker)? else { continue };
            let present = entity.set_members("blocks");
            let new = waiting.into_iter().map(|id| id.to_string()).filter(|id| !present.contains(&id.as_str()));
            for value in new.collect::<Vec<_>>() {
                let change = Change::Add { field: "blocks".to_owned(), value };
                let step = self.step(blocker, change, self.now, self.context.me.clone(), None);
                self.push(step);
            }
        }
        Ok(())
    }

    fn step(&self, entity: EntityId, change: Change, at: Timestamp, by: Person, id: Option<OpId>) -> Step {
        Step::made_elsewhere(entity, change, Origin { at, by, imported: Some(Arc::clone(&self.tool)), id })
    }

    // Not marked as imported: its value is the one here, not the source's.
    fn unmarked(&self, entity: EntityId, change: Change, at: Timestamp) -> Step {
        Step::made_elsewhere(entity, change, Origin { at, by: self.context.me.clone(), imported: None, id: None })
    }

    fn person(&mut self, person: Option<&ImportedPerson>) -> Person {
        let is_me = |person: &&ImportedPerson| self.is_own && person.name == "me" && person.email.is_empty();
        let Some(person) = person.filter(|person| !is_me(person)) else { return self.context.me.clone() };
        let found = self.people.find(person);
        self.report.map("person", person.shown(), &found.to_string());
        found
    }

    /// Finds the item that a reference of the source means; what is not found is left out, or an error in own formats.
    fn target(
        &mut self,
        what: &'static str,
        kind: Option<ItemKind>,
        target: &Target,
    ) -> Result<Option<EntityId>, Error> {
        let found = match target {
            Target::Id(id) => Some(ImportSource::entity(&self.tool, id)),
            Target::Own(id) => Some(*id),
            Target::Text(text) => self.catalog.try_find(&self.tool, kind, text),
        };
        if let Some(id) = found
            && (self.catalog.contains(id) || self.context.index.item(id)?.is_some())
        {
            return Ok(Some(id));
        }
        let which = match target {
            Target::Own(id) => id.to_string(),
            Target::Text(text) if self.is_own => {
                return self.known_item(kind, text).map(Some);
            }
            Target::Id(text) | Target::Text(text) => text.clone(),
        };
        self.report.leave_out(LeftOut { what, why: "the other item was not imported", which });
        Ok(None)
    }

    // As the command line finds it, or by a title that only one item has.
    fn known_item(&self, kind: Option<ItemKind>, text: &str) -> Result<EntityId, Error> {
        let error = match self.context.find_reference(kind, &ItemRef::parse(text)) {
            Ok(row) => return Ok(row.item.id),
            Err(error) => error,
        };
        match self.context.index.items_by_title(kind, text)?.as_slice() {
            [row] => Ok(row.item.id),
            _ => Err(error),
        }
    }

    fn targets(&mut self, what: &'static str, targets: &[Target]) -> Result<Vec<EntityId>, Error> {
        let mut found = Vec::new();
        for target in targets {
            found.extend(self.target(what, None, target)?);
        }
        Ok(found)
    }

    /// Returns the state that the source wants an item to have, in the terms of the log.
    fn wanted(&mut self, id: EntityId, item: &ImportedItem) -> Result<Wanted, Error> {
        let status = self.statuses.map(item.kind, &item.status)?;
        self.count(item, &status);
        let mut fields: BTreeMap<String, Value> = item.extra.clone();
        for (name, value) in &fields {
            check_extra(name, value)?;
        }
        let title = if self.is_own { item.title.clone() } else { one_line(&item.title) };
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        put("title", check_line("title", &title)?.into());
        if !item.description.is_empty() {
            put("description", check_body("description", &item.description)?.into());
        }
        put("status", status.name.clone().into());
        if let Some(priority) = item.priority.filter(|priority| *priority > 0) {
            put("priority", priority.min(10).into());
        }
        for (field, text) in [
            (&model::field::SIZE, &item.size),
            (&model::field::SEVERITY, &item.severity),
            (&model::field::TYPE, &item.type_),
            (&model::field::BLOCKED, &item.blocked),
            (&model::field::COLOUR, &item.color),
        ] {
            if let Some(text) = text {
                put(field.stored(), literal(field, text)?);
            }
        }
        if item.approved {
            put("approved", true.into());
        }
        let closed_on = item.completed.or_else(|| item.closed.map(|at| at.to_zoned(TimeZone::UTC).date()));
        let completed = closed_on.filter(|_| status.closed || item.completed.is_some());
        for (name, day) in
            [("started", item.started), ("expected", item.expected), ("completed", completed), ("due", item.due)]
        {
            if let Some(day) = day {
                put(name, day.to_string().into());
            }
        }
        if let Some(rank) = item.rank.as_ref().filter(|rank| rank.parse::<model::rank::Rank>().is_ok()) {
            put("rank", rank.as_str().into());
        }
        self.put_references(id, item, &mut fields)?;
        let mut sets = self.sets(id, item)?;
        if let Some((first, others)) = self.assignees(item).split_first() {
            fields.insert("assignee".to_owned(), first.as_str().into());
            sets.insert(ASSIGNEES.to_owned(), others.to_vec());
        }
        if let Some(link) = link(&self.tool, item, &status) {
            fields.insert(imported::FIELD.to_owned(), link);
        }
        sets.retain(|_, members| !members.is_empty());
        Ok(Wanted { fields, sets, status })
    }

    fn put_references(
        &mut self,
        id: EntityId,
        item: &ImportedItem,
        fields: &mut BTreeMap<String, Value>,
    ) -> Result<(), Error> {
        let references = [
            ("milestone", Some(ItemKind::Milestone), &item.milestone),
            ("board", Some(ItemKind::Board), &item.board),
            ("parent", None, &item.parent),
        ];
        for (name, kind, target) in references {
            let Some(target) = target else { continue };
            if let Some(found) = self.target(name, kind, target)? {
                if name == "parent" {
                    self.parents.add(id, found);
                }
                fields.insert(name.to_owned(), found.to_string().into());
            }
        }
        Ok(())
    }

    fn sets(&mut self, id: EntityId, item: &ImportedItem) -> Result<BTreeMap<String, Vec<String>>, Error> {
        let mut labels = Vec::with_capacity(item.labels.len());
        for label in &item.labels {
            let label = self.label_name(label);
            if !label.is_empty() || self.is_own {
                let label = check_label(&label)?;
                self.labels.add_used(&label);
                labels.push(label);
            }
        }
        for label in &item.label_definitions {
            self.declare(label)?;
        }
        let mut blocks = self.targets("blocks", &item.blocks)?;
        blocks.extend(self.blocked.remove(&id).unwrap_or_default());
        let relates = self.targets("relates", &item.relates)?;
        let texts = |ids: Vec<EntityId>| distinct(ids.into_iter().map(|id| id.to_string()).collect());
        let touches = item.touches.iter().map(|path| check_line("path", path)).collect::<Result<Vec<_>, _>>();
        Ok(BTreeMap::from([
            ("labels".to_owned(), distinct(labels)),
            ("blocks".to_owned(), texts(blocks)),
            ("relates".to_owned(), texts(relates)),
            ("touches".to_owned(), distinct(touches?)),
        ]))
    }

    fn assignees(&mut self, item: &ImportedItem) -> Vec<String> {
        let mut people: Vec<String> = Vec::new();
        for assignee in &item.assignees {
            let person = self.person(Some(assignee)).to_string();
            if !people.contains(&person) {
                people.push(person);
            }
        }
        people
    }

    fn count(&mut self, item: &ImportedItem, status: &MappedStatus) {
        self.report.map("kind", item.type_.as_deref().unwrap_or(item.kind.name()), item.kind.name());
        let state = item.status.closed.map_or("", |closed| if closed { "closed" } else { "open" });
        let from = if item.status.name.is_empty() { state } else { &item.status.name };
        if !from.is_empty() {
            self.report.map("status", from, &status.name);
        }
        if status.is_guess {
            let which = model::text::escape_line(&item.status.name);
            let why = "no status here has this meaning; `--status OLD=NEW` maps it";
            self.report.leave_out(LeftOut { what: "status", why, which });
        }
        if let Some(priority) = item.priority {
            let there = if item.priority_there.is_empty() { priority.to_string() } else { item.priority_there.clone() };
            self.report.map("priority", &there, &priority.to_string());
        }
    }
}

/// Returns the id of the operation of a comment, the same in every clone and in every import.
fn comment_id(tool: &str, item: &str, comment: &ImportedComment, n: usize) -> OpId {
    match &comment.id {
        SourceId::Own(id) => OpId::new(uuid::Uuid::from_bytes(*id.as_bytes())),
        SourceId::Of(id) => ImportSource::comment(tool, item, id),
        // Without an id, its place and its time tell it from the others.
        SourceId::None => {
            let at = comment.created.map_or_else(String::new, |at| at.to_string());
            ImportSource::comment(tool, item, &format!("{n}:{at}"))
        }
    }
}

/// Returns a field that can be written again with its value, to carry the time of the last change.
fn last_field(wanted: &Wanted) -> (&'static str, Value) {
    match wanted.fields.get(imported::FIELD) {
        Some(link) => (imported::FIELD, link.clone()),
        None => ("status", wanted.status.name.clone().into()),
    }
}

fn link(tool: &str, item: &ImportedItem, status: &MappedStatus) -> Option<Value> {
    if let Some(link) = &item.imported {
        return Some(link.clone());
    }
    let SourceId::Of(id) = &item.id else { return None };
    let status = status.is_renamed.then(|| item.status.name.trim().to_owned());
    Some(ImportSource { tool: tool.to_owned(), id: id.clone(), url: item.url.clone(), status }.to_value())
}

fn literal(field: &'static Field, text: &str) -> Result<Value, Error> {
    if field.stored() == "blocked" && text.trim().is_empty() {
        return Ok(true.into());
    }
    match FieldChange::parse(field, &one_line(text))?.value() {
        FieldValue::Literal(value) => Ok(value.clone()),
        _ => Ok(Value::Null),
    }
}

fn check_extra(name: &str, value: &Value) -> Result<(), Error> {
    let named = check_line("name of a field", name)?;
    if is_too_deep(value) {
        return Err(Error::invalid(format!("the value of `{named}` is nested too deep to be kept")));
    }
    if has_nul(value) {
        return Err(Error::invalid(format!("the value of `{named}` contains a NUL character, which no text may")));
    }
    Ok(())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// Joins the words of a text of several lines.
fn one_line(text: &str) -> String {
    if text.contains(['\n', '\r', '\t']) {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text.trim().to_owned()
}

// Texts that were written in a browser have the line breaks of its forms, CR LF.
fn use_line_feeds(text: &mut String) {
    if text.contains('\r') {
        *text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
}

fn distinct(mut members: Vec<String>) -> Vec<String> {
    members.sort_unstable();
    members.dedup();
    members
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
