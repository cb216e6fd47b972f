//! Saved views: lists under a name, shared through the log.

use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::person::PersonRef;
use model::saved_view::{ENTITY_KIND, QUERY_FIELD, ViewQuery};

use super::list::{AssigneeFilter, Conditions, ListOptions};
use crate::error::Error;
use crate::project::{Project, WritePlan, shortened};
use crate::resolve;
use crate::shared_entry::{EntryKind, SharedEntry};
use crate::view::{BoardLook, SavedView};

const VIEWS: EntryKind = EntryKind { kind: ENTITY_KIND, field: QUERY_FIELD, command: "cairn view" };

impl Project {
    /// Returns all saved views, by name.
    pub fn saved_views(&self) -> Result<Vec<SavedView>, Error> {
        Ok(VIEWS.all(self.index())?.into_iter().map(saved).collect())
    }

    /// Finds a saved view.
    pub fn saved_view(&self, name: &str) -> Result<SavedView, Error> {
        VIEWS.find(self.index(), name).map(saved)
    }

    /// Saves a view under a name, in place of an earlier one, and returns it. The query must be valid.
    pub fn save_view(&mut self, name: &str, query: &ViewQuery) -> Result<SavedView, Error> {
        self.save_board_view(name, query, BoardLook::default())
    }

    /// Saves a view together with how the board shows it.
    pub fn save_board_view(&mut self, name: &str, query: &ViewQuery, look: BoardLook) -> Result<SavedView, Error> {
        let name = VIEWS.check_name(name)?;
        let query = self.with_stable_ids(query)?;
        self.list(&ListOptions { limit: Some(1), ..self.view_options(&query)? })?;
        let mut value = query.to_value();
        look.add_to(&mut value);
        self.commit(|context| {
            let changes = VIEWS.save(context, &name, &value)?;
            Ok((WritePlan::new(format!("view `{name}`: save"), changes), ()))
        })?;
        self.saved_view(&name)
    }

    /// Gives a saved view another name and returns it. The name must not be that of another view.
    pub fn rename_view(&mut self, name: &str, new_name: &str) -> Result<SavedView, Error> {
        let new_name = VIEWS.check_name(new_name)?;
        self.commit(|context| {
            let entry = VIEWS.find(context.index, name)?;
            // Only the case may differ: then it is the same entity.
            let is_same = entry.name.to_lowercase() == new_name.to_lowercase();
            if !is_same && VIEWS.try_find(context.index, &new_name)?.is_some() {
                return Err(Error::conflict(format!("there is already a view `{}`", shortened(&new_name))));
            }
            let mut changes = VIEWS.save(context, &new_name, &entry.value)?;
            changes.extend((!is_same).then(|| VIEWS.remove(&entry)));
            Ok((WritePlan::new(format!("view `{}`: rename to `{new_name}`", entry.name), changes), ()))
        })?;
        self.saved_view(&new_name)
    }

    /// Removes a saved view and returns it.
    pub fn remove_view(&mut self, name: &str) -> Result<SavedView, Error> {
        self.commit(|context| {
            let entry = VIEWS.find(context.index, name)?;
            let plan = WritePlan::new(format!("view `{}`: remove", entry.name), [VIEWS.remove(&entry)]);
            Ok((plan, saved(entry)))
        })
    }

    /// Returns the options of `list` for a query.
    pub fn view_options(&self, query: &ViewQuery) -> Result<ListOptions, Error> {
        let reference = |text: &Option<String>| text.as_deref().map(ItemRef::parse);
        let conditions = Conditions {
            statuses: query.statuses.clone(),
            labels: query.labels.clone(),
            assignee: query.assignee.as_deref().map(assigned).transpose()?,
            milestone: reference(&query.milestone),
            board: reference(&query.board),
            epic: reference(&query.epic),
            blocked: query.blocked,
            overdue: query.overdue,
            text: query.text.clone(),
        };
        Ok(ListOptions {
            kinds: query.kind.as_deref().map(str::parse::<ItemKind>).transpose()?.into_iter().collect(),
            filter: self.filter_of(&conditions, query.filter.as_deref())?,
            sort: query.sort.clone(),
            all: query.all,
            ..ListOptions::default()
        })
    }

    /// Returns the filter of a query with its kind, for interfaces that narrow by a filter only; empty if it shows all.
    pub fn view_filter(&self, query: &ViewQuery) -> Result<String, Error> {
        let options = self.view_options(query)?;
        let kinds = options.kinds.iter().map(|kind| format!("kind == {kind}"));
        Ok(kinds.chain(options.filter).collect::<Vec<_>>().join(" and "))
    }

    /// Returns a query whose items are named by their ids, which do not change.
    fn with_stable_ids(&self, query: &ViewQuery) -> Result<ViewQuery, Error> {
        let id = |kind: ItemKind, name: &Option<String>| -> Result<Option<String>, Error> {
            let find = |name: &String| resolve::item_or_title(self.index(), kind, &ItemRef::parse(name));
            Ok(name.as_ref().map(find).transpose()?.map(|row| row.item.id.to_string()))
        };
        Ok(ViewQuery {
            milestone: id(ItemKind::Milestone, &query.milestone)?,
            board: id(ItemKind::Board, &query.board)?,
            epic: id(ItemKind::Epic, &query.epic)?,
            ..query.clone()
        })
    }
}

/// Reads the value of `--assignee`: a person, `me`, or `none` for nobody.
pub fn assigned(text: &str) -> Result<AssigneeFilter, Error> {
    match text {
        "none" => Ok(AssigneeFilter::Nobody),
        text => Ok(AssigneeFilter::To(PersonRef::parse(text)?)),
    }
}

fn saved(entry: SharedEntry) -> SavedView {
    SavedView::new(entry.name, &ViewQuery::from_value(&entry.value), BoardLook::from_value(&entry.value))
}
