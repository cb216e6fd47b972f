//! Statuses of the workflows.

use std::collections::{BTreeMap, HashMap};

use model::field::{self, FieldChange, FieldValue};
use model::item::ItemKind;
use model::op::Change;
use model::text::check_line;
use model::workflow::{Category, ENTITY_KIND, Status, Workflow};
use serde_json::Value;
use store::index::Index;

use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan, set};
use crate::view::{StatusView, WorkflowView};

/// Changes to a status; absent fields are kept, or get defaults for a new one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusChange {
    /// Its category.
    pub category: Option<String>,
    /// Its position on a board.
    pub order: Option<i64>,
    /// `#rrggbb`.
    pub color: Option<String>,
    /// Whether items with it are closed.
    pub closed: Option<bool>,
    /// How many items should be in it at most; 0 removes the limit.
    pub limit: Option<u32>,
}

impl Project {
    /// Returns the workflow of a kind, or of all.
    pub fn workflows(&self, kind: Option<ItemKind>) -> Result<Vec<WorkflowView>, Error> {
        let kinds = kind.map_or_else(|| ItemKind::ALL.to_vec(), |kind| vec![kind]);
        let counts = counts(self.index())?;
        kinds.into_iter().map(|kind| Ok(view(&self.index().workflow(kind)?, &counts))).collect()
    }

    /// Adds a status to a workflow, or changes one, and returns the workflow.
    pub fn set_status(&mut self, kind: ItemKind, name: &str, change: &StatusChange) -> Result<WorkflowView, Error> {
        let name = check_line("status", name)?;
        if matches!(name.as_str(), "open" | "closed" | "draft") && kind.is_work() && change.category.is_none() {
            return Err(Error::invalid(format!("say what `{name}` means with `--category`")));
        }
        let plan = |context: &PlanContext<'_>| {
            let workflow = context.index.workflow(kind)?;
            let status = changed(&workflow, &name, change)?;
            let is_same = workflow.try_find(&name) == Some(&status);
            let change = write_status(context, kind, &name, status.to_value())?;
            let subject = format!("workflow of {kind}: status `{name}`");
            let changes = (!is_same).then_some((Workflow::id(kind), change));
            Ok((WritePlan::new(subject, changes), ()))
        };
        self.write(plan, |context, ()| workflow_view(context.index, kind))
    }

    /// Removes a status from a workflow and returns the workflow. Fails while items have it.
    pub fn remove_status(&mut self, kind: ItemKind, name: &str) -> Result<WorkflowView, Error> {
        let plan = |context: &PlanContext<'_>| {
            let workflow = context.index.workflow(kind)?;
            let name = crate::resolve::status(&workflow, name)?;
            let in_use = context.index.statuses_in_use()?;
            let n_items = in_use.iter().filter(|one| one.kind == kind && one.status == name);
            let n_items: u64 = n_items.map(|one| one.n_items).sum();
            if n_items > 0 {
                let items = if n_items == 1 { "1 item is".to_owned() } else { format!("{n_items} items are") };
                return Err(Error::conflict(format!("{items} in `{name}`"))
                    .hint(format!("move them first; `cairn list {kind} --filter 'status == \"{name}\"'` shows them")));
            }
            if workflow.statuses().len() == 1 {
                return Err(Error::conflict(format!("`{name}` is the only status of {}", kind.with_article())));
            }
            let change = write_status(context, kind, &name, Value::Null)?;
            let subject = format!("workflow of {kind}: remove status `{name}`");
            Ok((WritePlan::new(subject, [(Workflow::id(kind), change)]), ()))
        };
        self.write(plan, |context, ()| workflow_view(context.index, kind))
    }
}

fn workflow_view(index: &Index, kind: ItemKind) -> Result<WorkflowView, Error> {
    Ok(view(&index.workflow(kind)?, &counts(index)?))
}

/// Counts the items of each kind and status.
fn counts(index: &Index) -> Result<HashMap<(ItemKind, String), u64>, Error> {
    let mut counts = HashMap::new();
    for one in index.statuses_in_use()? {
        *counts.entry((one.kind, one.status)).or_default() += one.n_items;
    }
    Ok(counts)
}

fn changed(workflow: &Workflow, name: &str, change: &StatusChange) -> Result<Status, Error> {
    let known = workflow.try_find(name);
    let category = match &change.category {
        Some(category) => category.parse::<Category>()?,
        None => known.map_or(Category::Todo, |status| status.category),
    };
    let color = match &change.color {
        Some(color) => {
            let change = FieldChange::parse(&field::COLOR, color)?;
            match change.value() {
                FieldValue::Literal(Value::String(color)) => color.clone(),
                _ => String::new(),
            }
        }
        None => known.map_or_else(|| "#97a0af".to_owned(), |status| status.color.clone()),
    };
    let last = workflow.statuses().iter().map(|status| status.order).max().unwrap_or(0);
    let is_kept = change.category.is_none() && known.is_some();
    let closed = known.filter(|_| is_kept).map_or_else(|| category.closes(), |status| status.closed);
    Ok(Status {
        name: name.to_owned(),
        category,
        order: change.order.or(known.map(|status| status.order)).unwrap_or(last + 10),
        color,
        closed: change.closed.unwrap_or(closed),
        limit: change.limit.or(known.and_then(|status| status.limit)).filter(|limit| *limit > 0),
    })
}

// The first change creates the entity; its id is the same in every clone, so two first changes create one entity.
fn write_status(context: &PlanContext<'_>, kind: ItemKind, name: &str, value: Value) -> Result<Change, Error> {
    let field = Status::field(name);
    let exists = context.index.entity(Workflow::id(kind))?.is_some_and(|entity| entity.creation().is_some());
    Ok(if exists {
        set(&field, value)
    } else {
        let fields = BTreeMap::from([("of".to_owned(), Value::from(kind.name())), (field, value)]);
        Change::Create { kind: ENTITY_KIND.to_owned(), number: None, fields, sets: BTreeMap::new() }
    })
}

fn view(workflow: &Workflow, counts: &HashMap<(ItemKind, String), u64>) -> WorkflowView {
    let kind = workflow.kind;
    let statuses = workflow.statuses().iter().map(|status| StatusView {
        n_items: counts.get(&(kind, status.name.clone())).copied().unwrap_or(0),
        name: status.name.clone(),
        category: status.category,
        order: status.order,
        color: status.color.clone(),
        closed: status.closed,
        limit: status.limit,
    });
    WorkflowView { statuses: statuses.collect(), kind }
}
