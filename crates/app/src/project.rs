//! An open project, on which all verbs work.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use model::id::EntityId;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::number::ItemNumber;
use model::op::Change;
use model::person::Person;
pub use store::WritePlan;
use store::git::{GitError, Repository};
use store::index::{Index, Row};
use store::{Listener, Store, WriteMeta, local_zone};
use uuid::Uuid;

use crate::error::Error;
use crate::resolve;
use crate::view::{ItemView, one_item_view};

/// Clock and randomness. Passed in, so that tests can fix them.
#[derive(Debug, Clone, Copy)]
pub struct Env {
    /// Returns the time.
    pub now: fn() -> Timestamp,
    /// Returns today's date in the user's time zone.
    pub today: fn() -> Date,
    /// Returns a new UUID.
    pub uuid: fn() -> Uuid,
}

impl Default for Env {
    fn default() -> Self {
        Self { now: store::now, today, uuid: store::new_uuid }
    }
}

/// Returns today's date in the user's time zone.
pub fn today() -> Date {
    store::now().to_zoned(local_zone()).date()
}

/// The paths of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The root of the work tree; `None` for a bare repository.
    pub work_tree: Option<PathBuf>,
    /// The git directory.
    pub git_dir: PathBuf,
    /// The git directory shared by all work trees.
    pub common_dir: PathBuf,
}

/// Finds the repository that contains `start`, without opening an index.
pub fn locate(start: &Path) -> Result<Location, Error> {
    let repository = Repository::discover(start)?;
    let work_tree = repository.workdir().map(Path::to_owned);
    let (git_dir, common_dir) = (repository.git_dir().to_owned(), repository.common_dir().to_owned());
    Ok(Location { work_tree, git_dir, common_dir })
}

/// The project of one repository, and the acting person.
pub struct Project {
    pub(crate) store: Store,
    pub(crate) env: Env,
    actor: Option<Person>,
}

/// The input of a write plan: the newest state, the author, and the time.
pub struct PlanContext<'a> {
    /// The newest state.
    pub index: &'a Index,
    /// Who writes.
    pub me: &'a Person,
    /// The date in the author's time zone.
    pub today: Date,
    /// Returns a new UUID.
    pub(crate) uuid: fn() -> Uuid,
}

impl Project {
    /// Opens the project of the repository that contains `start`.
    pub fn open(start: &Path, env: Env, listener: Listener) -> Result<Self, Error> {
        Ok(Self { store: Store::open(start, listener)?, env, actor: None })
    }

    /// Opens the project as [`Project::open`] does, in a state that may lag behind.
    pub(crate) fn open_lagging(start: &Path, env: Env, listener: Listener) -> Result<Self, Error> {
        Ok(Self { store: Store::open_lagging(start, listener)?, env, actor: None })
    }

    /// Sets the acting person; `None` for git's user.
    pub fn act_as(&mut self, who: Option<Person>) {
        self.actor = who;
    }

    /// Returns the acting person: the one that was set, else git's user.
    pub fn me(&self) -> Result<Person, Error> {
        self.try_me()?.ok_or_else(|| GitError::NoIdentity.into())
    }

    /// Returns the acting person; `None` if git knows no name. Only writes need one.
    pub fn try_me(&self) -> Result<Option<Person>, Error> {
        if self.actor.is_some() {
            return Ok(self.actor.clone());
        }
        match self.store.repository().identity() {
            Ok(identity) => Ok(Some(Person::new(&identity.name, &identity.email))),
            Err(GitError::NoIdentity) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the project's name: the name of its folder.
    pub fn name(&self) -> String {
        self.store.repository().project_name()
    }

    /// Ingests the writes of other processes.
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.store.refresh()?;
        Ok(())
    }

    /// Returns a name of the state of all work items; it changes with every write.
    pub fn state_name(&self) -> Result<String, Error> {
        Ok(self.index().tip()?.map(|tip| tip.to_string()).unwrap_or_default())
    }

    /// Rebuilds the index; returns the number of commits read.
    pub fn reindex(&mut self) -> Result<usize, Error> {
        Ok(self.store.rebuild()?.n_commits)
    }

    /// Returns the store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the store, for writing.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Returns the time.
    pub fn now(&self) -> Timestamp {
        (self.env.now)()
    }

    /// Returns the date in the user's time zone.
    pub fn today(&self) -> Date {
        (self.env.today)()
    }

    /// Returns the source of new UUIDs.
    pub fn uuid_source(&self) -> fn() -> Uuid {
        self.env.uuid
    }

    /// Indexes the newest annotations of a notes ref: `noteref`, or the one that git's configuration names.
    pub fn follow_annotations(&mut self, noteref: Option<&str>) -> Result<(), Error> {
        let name = self.store.notes_ref(noteref)?;
        self.store.follow_notes(&name)?;
        Ok(())
    }

    /// Returns the command that git uses to edit text.
    pub fn editor(&self) -> Result<String, Error> {
        Ok(self.store.repository().editor()?)
    }

    /// Returns the index, the source of all reads.
    pub fn index(&self) -> &Index {
        self.store.index()
    }

    /// Finds an item.
    pub fn find(&self, item: &ItemRef) -> Result<Row, Error> {
        resolve::item(self.index(), item)
    }

    /// Finds an item of a kind; a bare number refers to the kind's number space.
    pub(crate) fn find_of(&self, kind: ItemKind, item: &ItemRef) -> Result<Row, Error> {
        resolve::item_of(self.index(), kind, item)
    }

    /// Finds an item of a kind that can be referred to, by number, id or title, and returns its id. An unknown title is
    /// an error with the nearest one.
    pub fn find_named(&self, kind: ItemKind, item: &ItemRef) -> Result<EntityId, Error> {
        let found = self.dry_run(|context| resolve::reference(context, Some(kind), item))?;
        Ok(found.item.id)
    }

    /// Writes what `plan` decides on the newest state as one commit, and returns the result of `read` on the state
    /// after the write. Both may run several times. Neither reads the project itself, which may lag behind.
    pub fn write<T: Clone, U>(
        &mut self,
        plan: impl Fn(&PlanContext<'_>) -> Result<(WritePlan, T), Error>,
        read: impl Fn(&PlanContext<'_>, T) -> Result<U, Error>,
    ) -> Result<U, Error> {
        // One snapshot of git's settings for the whole write.
        let _settings = self.store.repository().hold_settings()?;
        let author = Author { me: self.me()?, env: self.env };
        let at = now_in_milliseconds(self.env);
        let mut next_id = author.env.uuid;
        let mut meta = WriteMeta { at, by: author.me.clone(), next_id: &mut next_id };
        self.store.write(
            &mut meta,
            |index| plan(&author.context(index)),
            |index, planned| read(&author.context(index), planned),
        )
    }

    /// Writes a plan whose result is known before the write.
    pub fn commit<T: Clone>(
        &mut self,
        plan: impl Fn(&PlanContext<'_>) -> Result<(WritePlan, T), Error>,
    ) -> Result<T, Error> {
        self.write(plan, |_, answer| Ok(answer))
    }

    /// Writes a plan for items, and returns the items after the write.
    pub(crate) fn write_items(
        &mut self,
        plan: impl Fn(&PlanContext<'_>) -> Result<(WritePlan, Vec<EntityId>), Error>,
    ) -> Result<Vec<ItemView>, Error> {
        self.write(plan, |context, ids| ids.iter().map(|id| shown(context.index, *id)).collect())
    }

    /// Writes a plan for one item, and returns the item after the write.
    pub(crate) fn write_item(
        &mut self,
        plan: impl Fn(&PlanContext<'_>) -> Result<(WritePlan, EntityId), Error>,
    ) -> Result<ItemView, Error> {
        self.write(plan, |context, id| shown(context.index, id))
    }

    /// Writes the plans that `body` gives to its second argument, all of them or, if it fails, none. They are made on
    /// the state before the write, one at a time, so that memory does not grow with their number.
    pub fn write_sequence<T>(
        &mut self,
        body: impl FnOnce(&PlanContext<'_>, &mut dyn FnMut(WritePlan) -> Result<(), Error>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _settings = self.store.repository().hold_settings()?;
        let author = Author { me: self.me()?, env: self.env };
        let mut next_id = author.env.uuid;
        let mut meta = WriteMeta { at: now_in_milliseconds(self.env), by: author.me.clone(), next_id: &mut next_id };
        self.store.write_sequence(&mut meta, |index, write| {
            body(&author.context(index), &mut |plan| write(plan).map_err(Error::from))
        })
    }

    /// Runs a plan on the current state without writing.
    pub fn dry_run<T>(&self, plan: impl FnOnce(&PlanContext<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let author = Author { me: self.me()?, env: self.env };
        plan(&author.context(self.index()))
    }
}

// Millisecond precision is enough for people; more would only lengthen every operation.
fn now_in_milliseconds(env: Env) -> Timestamp {
    Timestamp::from_millisecond((env.now)().as_millisecond()).unwrap_or_default()
}

/// The author of a write, and the clock.
struct Author {
    me: Person,
    env: Env,
}

impl Author {
    fn context<'a>(&'a self, index: &'a Index) -> PlanContext<'a> {
        PlanContext { index, me: &self.me, today: (self.env.today)(), uuid: self.env.uuid }
    }
}

impl PlanContext<'_> {
    pub(crate) fn find(&self, item: &ItemRef) -> Result<Row, Error> {
        resolve::item(self.index, item)
    }

    /// Finds the item that a field refers to, of one kind or of any. Milestones and boards are also found by title.
    pub fn find_reference(&self, kind: Option<ItemKind>, item: &ItemRef) -> Result<Row, Error> {
        resolve::reference(self, kind, item)
    }

    /// Finds an item that can be changed, that is, not a deleted one.
    pub(crate) fn find_living(&self, item: &ItemRef) -> Result<Row, Error> {
        let row = self.find(item)?;
        refuse_deleted(&row)?;
        Ok(row)
    }

    /// Finds items without duplicates, in the given order.
    pub(crate) fn find_all(&self, items: &[ItemRef]) -> Result<Vec<Row>, Error> {
        let mut rows: Vec<Row> = Vec::new();
        for item in items {
            let row = self.find(item)?;
            if !rows.iter().any(|known| known.item.id == row.item.id) {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    pub(crate) fn find_all_living(&self, items: &[ItemRef]) -> Result<Vec<Row>, Error> {
        let rows = self.find_all(items)?;
        rows.iter().try_for_each(refuse_deleted)?;
        Ok(rows)
    }

    /// Returns the id of a new item.
    pub fn new_entity(&self) -> EntityId {
        EntityId::new((self.uuid)())
    }
}

/// Fails if an item is deleted.
pub(crate) fn refuse_deleted(row: &Row) -> Result<(), Error> {
    if !row.item.deleted {
        return Ok(());
    }
    Err(Error::conflict(format!("{} was deleted", mention(row)))
        .hint(format!("`cairn reopen {}` brings it back", typed(row.reference())))
        .tool_hint("`update` with `deleted` false restores it"))
}

/// Plans changes to items with a subject such as `issue #42: close` or `close #1, #2`, and returns the ids.
pub(crate) fn plan_for_items(rows: &[Row], verb: &str, changes: Vec<(EntityId, Change)>) -> (WritePlan, Vec<EntityId>) {
    let ids = rows.iter().map(|row| row.item.id).collect();
    (WritePlan::new(subject(&rows.iter().collect::<Vec<_>>(), verb), changes), ids)
}

/// Returns the subject line of a commit with one action on items.
pub(crate) fn subject(rows: &[&Row], verb: &str) -> String {
    if let [row] = rows {
        return format!("{} #{}: {verb}", row.item.kind, row.number);
    }
    let numbers: Vec<String> = rows.iter().map(|row| row.reference().to_string()).collect();
    format!("{verb} {}", numbers.join(", "))
}

/// Returns the view of an item inside a write.
fn shown(index: &Index, id: EntityId) -> Result<ItemView, Error> {
    let row = index.item(id)?.ok_or_else(|| Error::unavailable("the item is not indexed yet"))?;
    one_item_view(index, row)
}

/// Returns a change that sets a field.
pub fn set(field: &str, value: impl Into<serde_json::Value>) -> Change {
    Change::Set { field: field.to_owned(), value: value.into() }
}

/// Returns the first digits of a commit id, as git abbreviates it.
pub(crate) fn short_id(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}

/// Formats an item for a message.
pub fn mention(row: &Row) -> String {
    format!("{} #{} `{}`", row.item.kind, row.number, shortened(&row.item.title))
}

/// Formats a number as typed in a shell, where `#5` would be a comment.
pub(crate) fn typed(reference: ItemNumber) -> String {
    reference.to_string().trim_start_matches('#').to_owned()
}

pub(crate) fn shortened(title: &str) -> String {
    const MAX_TITLE: usize = 60;
    let escaped = model::text::escape_line(title);
    if escaped.chars().count() <= MAX_TITLE {
        return escaped;
    }
    format!("{}…", escaped.chars().take(MAX_TITLE - 1).collect::<String>())
}
