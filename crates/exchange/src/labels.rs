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

    /// Returns the changes that declare the labels, and how many labels they declare.
    pub(crate) fn into_changes(self, context: &PlanContext<'_>) -> Result<(Vec<(EntityId, Change)>, usize), Error> {
        if self.declared.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let known = context.index.declared_labels()?;
        let mut all = self.declared;
        let of_project = if known.is_empty() { context.index.labels()? } else { Vec::new() };
        for name in self.used.into_iter().chain(of_project) {
            let plain = LabelDefinition { name: name.clone(), color: None, about: String::new() };
            all.entry(name).or_insert(plain);
        }
        let all: Vec<LabelDefinition> =
            all.into_values().filter(|label| known.try_find(&label.name).is_none()).collect();
        Ok((declare_labels(context, &all)?, all.len()))
    }
}
