//! Makes a new item.

use std::collections::BTreeMap;

use model::field::Field;
use model::item::ItemKind;
use model::op::Change;
use model::text::{check_label, check_line};

use crate::error::Error;
use crate::project::{Project, WritePlan};
use crate::resolve;
use crate::view::{ItemView, one_item_view};

/// What a new item is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    /// What it is.
    pub kind: ItemKind,
    /// One line.
    pub title: String,
    /// Fields and what the person wrote for them.
    pub fields: Vec<(&'static Field, String)>,
    /// Labels.
    pub labels: Vec<String>,
}

impl Project {
    /// Makes an item and returns it.
    pub fn create(&mut self, new: &NewItem) -> Result<ItemView, Error> {
        let title = check_line("title", &new.title).map_err(Error::invalid)?;
        let labels: Vec<String> =
            new.labels.iter().map(|label| check_label(label)).collect::<Result<_, _>>().map_err(Error::invalid)?;
        let id = self.write(|context| {
            let id = context.new_entity();
            let number = context.index.next_number(new.kind.space())?;
            let mut fields = BTreeMap::from([("title".to_owned(), title.clone().into())]);
            let initial = context.index.workflow(new.kind)?.initial().name.clone();
            fields.insert("status".to_owned(), initial.into());
            for (field, text) in &new.fields {
                let value = resolve::value(context, new.kind, field, text)?;
                if !value.is_null() {
                    fields.insert(field.stored().to_owned(), value);
                }
            }
            let mut sets = BTreeMap::new();
            if !labels.is_empty() {
                sets.insert("labels".to_owned(), labels.clone());
            }
            let create = Change::Create { kind: new.kind.name().to_owned(), number: Some(number), fields, sets };
            let subject = format!("{} #{number}: create `{title}`", new.kind);
            Ok((WritePlan { subject, changes: vec![(id, create)] }, id))
        })?;
        let row = self.index().item(id)?.ok_or_else(|| Error::unavailable("the new item is not indexed yet"))?;
        one_item_view(self.index(), row)
    }
}
