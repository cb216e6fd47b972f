//! Labels of an import. A source that declares labels, with colors or descriptions, makes the project declare them: all
//! labels of the import and of the project together, since a label that is not declared is a mistake from then on.

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use app::plan::{PlanContext, declare_labels};
use model::id::EntityId;
use model::label::LabelDefinition;
use model::op::Change;

/// Maximum length of a description, in characters.
const MAX_ABOUT: usize = 500;

/// The changes that declare labels.
#[derive(Debug, Default)]
pub(crate) struct Declaration {
    pub(crate) changes: Vec<(EntityId, Change)>,
    /// The labels that they declare.
    pub(crate) names: Vec<String>,
}

/// The labels that an import has seen.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    used: BTreeSet<String>,
    declared: BTreeMap<String, LabelDefinition>,
}

impl Labels {
    /// Notes that an item has a label.
    pub(crate) fn add_used(&mut self, name: &str) {
        if !self.used.contains(name) {
            self.used.insert(name.to_owned());
        }
    }

    /// Notes that the source declares a label; the first declaration with a color counts.
    pub(crate) fn add_declared(&mut self, name: String, definition: &LabelDefinition) {
        let known = self.declared.get(&name);
        if known.is_none_or(|known| known.color.is_none() && definition.color.is_some()) {
            let about = definition.about.split_whitespace().collect::<Vec<_>>().join(" ");
            let about = about.chars().filter(|c| !c.is_control()).take(MAX_ABOUT).collect();
            self.declared.insert(name.clone(), LabelDefinition { name, color: definition.color.clone(), about });
        }
    }

    /// Returns the changes that declare the labels, and the labels that they declare. `earlier` are the labels that other
    /// files of a dry run would have declared.
    pub(crate) fn into_changes(
        self,
        context: &PlanContext<'_>,
        earlier: &BTreeSet<String>,
    ) -> Result<Declaration, Error> {
        if self.declared.is_empty() {
            return Ok(Declaration::default());
        }
        let known = context.index.declared_labels()?;
        let mut all = self.declared;
        let is_first = known.is_empty() && earlier.is_empty();
        let of_project = if is_first { context.index.labels()? } else { Vec::new() };
        for name in self.used.into_iter().chain(of_project) {
            let plain = LabelDefinition { name: name.clone(), color: None, about: String::new() };
            all.entry(name).or_insert(plain);
        }
        let is_new = |label: &LabelDefinition| known.try_find(&label.name).is_none() && !earlier.contains(&label.name);
        let all: Vec<LabelDefinition> = all.into_values().filter(is_new).collect();
        let changes = declare_labels(context, &all)?;
        Ok(Declaration { changes, names: all.into_iter().map(|label| label.name).collect() })
    }
}
