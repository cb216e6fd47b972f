//! Declared labels: their colors, and when to use them.

use std::collections::BTreeMap;

use model::id::EntityId;
use model::label::{DeclaredLabels, ENTITY_KIND, LabelDefinition, read_color};
use model::op::Change;
use model::patch::Patch;
use model::text::{check_label, check_line};
use serde_json::Value;
use store::index::Index;

use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan};
use crate::view::LabelView;

/// Changes to a declared label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelChange {
    /// `#rrggbb`, or the name of a color.
    pub color: Patch<String>,
    /// When to use it.
    pub about: Patch<String>,
}

impl Project {
    /// Returns all labels: the declared ones, and those that items have.
    pub fn labels(&self) -> Result<Vec<LabelView>, Error> {
        label_views(self.index())
    }

    /// Returns whether the project declares labels. Then people are expected to use no others.
    pub fn declares_labels(&self) -> Result<bool, Error> {
        Ok(!self.index().declared_labels()?.is_empty())
    }

    /// Declares a label, or changes its declaration, and returns it.
    pub fn define_label(&mut self, name: &str, change: &LabelChange) -> Result<LabelView, Error> {
        let name = check_label(name)?;
        let change = checked(change)?;
        let plan = |context: &PlanContext<'_>| {
            let known = context.index.declared_labels()?;
            let known = known.try_find(&name);
            let label = changed(&name, known, &change);
            let subject = format!("label `{name}`: {}", if known.is_some() { "change" } else { "declare" });
            let changes = if known == Some(&label) { Vec::new() } else { write(context, &[label])? };
            Ok((WritePlan::new(subject, changes), ()))
        };
        self.write(plan, |context, ()| find(context.index, &name))
    }

    /// Removes the declaration of a label, and returns the label. Items keep it.
    pub fn undefine_label(&mut self, name: &str) -> Result<LabelView, Error> {
        let name = check_label(name)?;
        let plan = |context: &PlanContext<'_>| {
            let known = context.index.declared_labels()?;
            if known.try_find(&name).is_none() {
                return Err(unknown(&known, &name));
            }
            let change = Change::Set { field: LabelDefinition::field(&name), value: Value::Null };
            Ok((WritePlan::new(format!("label `{name}`: undeclare"), [(DeclaredLabels::id(), change)]), ()))
        };
        self.write(plan, |context, ()| find(context.index, &name))
    }
}

/// Returns the changes that declare the undeclared ones of `labels`; existing declarations stay.
pub fn declare_labels(context: &PlanContext<'_>, labels: &[LabelDefinition]) -> Result<Vec<(EntityId, Change)>, Error> {
    let known = context.index.declared_labels()?;
    let new: Vec<_> = labels.iter().filter(|label| known.try_find(&label.name).is_none()).cloned().collect();
    if new.is_empty() { Ok(Vec::new()) } else { write(context, &new) }
}

// The first declaration creates the entity; its id is the same in every clone, so two first ones create one entity.
fn write(context: &PlanContext<'_>, labels: &[LabelDefinition]) -> Result<Vec<(EntityId, Change)>, Error> {
    let id = DeclaredLabels::id();
    let exists = context.index.entity(id)?.is_some_and(|entity| entity.creation().is_some());
    let fields = labels.iter().map(|label| (LabelDefinition::field(&label.name), label.to_value()));
    if exists {
        return Ok(fields.map(|(field, value)| (id, Change::Set { field, value })).collect());
    }
    let (fields, sets) = (fields.collect(), BTreeMap::new());
    Ok(vec![(id, Change::Create { kind: ENTITY_KIND.to_owned(), number: None, fields, sets })])
}

fn checked(change: &LabelChange) -> Result<LabelChange, Error> {
    let check = |patch: &Patch<String>, check: &dyn Fn(&str) -> Result<String, Error>| {
        Ok::<_, Error>(match patch {
            Patch::Set(text) if text.trim().is_empty() => Patch::Clear,
            Patch::Set(text) => Patch::Set(check(text)?),
            other => other.clone(),
        })
    };
    Ok(LabelChange {
        color: check(&change.color, &|text| Ok(read_color(text)?))?,
        about: check(&change.about, &|text| Ok(check_line("about", text)?))?,
    })
}

fn changed(name: &str, known: Option<&LabelDefinition>, change: &LabelChange) -> LabelDefinition {
    let known = known.cloned().unwrap_or_default();
    LabelDefinition {
        name: name.to_owned(),
        color: match &change.color {
            Patch::Keep => known.color,
            Patch::Clear => None,
            Patch::Set(color) => Some(color.clone()),
        },
        about: match &change.about {
            Patch::Keep => known.about,
            Patch::Clear => String::new(),
            Patch::Set(about) => about.clone(),
        },
    }
}

fn label_views(index: &Index) -> Result<Vec<LabelView>, Error> {
    let mut counts: BTreeMap<String, u64> = index.label_counts()?.into_iter().collect();
    let declared = index.declared_labels()?;
    let mut views: Vec<LabelView> =
        declared.definitions().iter().map(|label| view(label, counts.remove(&label.name).unwrap_or(0))).collect();
    let others = counts.into_iter().map(|(name, n_items)| LabelView {
        declared: false,
        ..view(&LabelDefinition { name, ..LabelDefinition::default() }, n_items)
    });
    views.extend(others);
    views.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(views)
}

fn view(label: &LabelDefinition, n_items: u64) -> LabelView {
    let LabelDefinition { name, color, about } = label.clone();
    LabelView { name, color, about, declared: true, n_items }
}

// A label that is neither declared nor in use any more is shown as it was asked for.
fn find(index: &Index, name: &str) -> Result<LabelView, Error> {
    let found = label_views(index)?.into_iter().find(|label| label.name == name);
    let absent = || LabelDefinition { name: name.to_owned(), ..LabelDefinition::default() };
    Ok(found.unwrap_or_else(|| LabelView { declared: false, ..view(&absent(), 0) }))
}

fn unknown(known: &DeclaredLabels, name: &str) -> Error {
    let names: Vec<&str> = known.definitions().iter().map(|label| label.name.as_str()).collect();
    let error = Error::not_found(format!("the label `{name}` is not declared"));
    match model::nearest::nearest(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`cairn label list` shows the declared labels"),
    }
}
