//! A template of a new item: Markdown whose front matter has the fields. Without front matter it is a description.

use app::{Error, NewItem};
use model::field::{self, FIELDS, Field, FieldChange};
use model::item::ItemKind;
use model::nearest::nearest;
use serde_json::Value;

use crate::formats::front_matter;

/// Reads a template. The title is empty if the template has none.
pub fn read_template(name: &str, text: &str) -> Result<NewItem, Error> {
    let place = format!("template {name}");
    let text = text.replace("\r\n", "\n");
    if !text.starts_with("---\n") {
        return described(NewItem::new(ItemKind::Issue, ""), &text);
    }
    let document = front_matter::read(&text, &place, 1)?;
    let mut item = NewItem::new(ItemKind::Issue, "");
    for (key, value) in document.fields {
        set(&mut item, &key, &value).map_err(|error| error.in_context(format!("`{place}`")))?;
    }
    described(item, &document.body)
}

fn described(mut item: NewItem, body: &str) -> Result<NewItem, Error> {
    if !body.trim().is_empty() {
        item.fields.push(FieldChange::parse(&field::DESCRIPTION, body.trim())?);
    }
    Ok(item)
}

fn set(item: &mut NewItem, key: &str, value: &Value) -> Result<(), Error> {
    match key {
        "kind" => item.kind = text(key, value)?.parse()?,
        "title" => item.title = text(key, value)?,
        "labels" => item.labels = texts(key, value)?,
        _ => {
            let field = Field::try_find(key).filter(|field| field.name != "description").ok_or_else(|| unknown(key))?;
            item.fields.push(FieldChange::parse(field, &text(key, value)?)?);
        }
    }
    Ok(())
}

fn unknown(key: &str) -> Error {
    let known = FIELDS.iter().map(|field| field.name).filter(|name| *name != "description").chain(["kind", "labels"]);
    let error = Error::invalid(format!("unknown key `{}`", model::text::escape_line(key)));
    match nearest(key, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`kind`, `title`, `labels` and the fields of `cairn new --help` are keys"),
    }
}

fn text(key: &str, value: &Value) -> Result<String, Error> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(is_set) => Ok(if *is_set { "yes" } else { "no" }.to_owned()),
        Value::Null => Ok(String::new()),
        Value::Array(_) | Value::Object(_) => Err(Error::invalid(format!("`{key}` must be one value"))),
    }
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, Error> {
    match value {
        Value::Array(values) => values.iter().map(|value| text(key, value)).collect(),
        other => {
            let parts = text(key, other)?;
            Ok(parts.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_becomes_fields() {
        let text = "---\nkind: task\ntitle: 'Bug: '\nlabels: [bug, triage]\npriority: high\napproved: true\n---\n## Steps\n\n1. …\n";
        let item = read_template("bug", text).unwrap();
        assert_eq!(
            (item.kind, item.title.as_str(), item.labels.join(" ")),
            (ItemKind::Task, "Bug: ", "bug triage".into())
        );
        let names: Vec<&str> = item.fields.iter().map(|change| change.field().name).collect();
        assert_eq!(names, ["priority", "approved", "description"]);
    }

    #[test]
    fn without_front_matter_it_is_a_description() {
        let item = read_template("plain", "Say what you saw.\r\n").unwrap();
        assert_eq!((item.kind, item.title.as_str(), item.fields.len()), (ItemKind::Issue, "", 1));
    }

    #[test]
    fn mistakes_name_the_template() {
        let texts = [
            "---\npriorty: high\n---\n",
            "---\npriority: very\n---\n",
            "---\nlabels: {a: b}\n---\n",
            "---\nkind: bug\n---\n",
            "---\nkind: bug\n",
        ];
        let errors = texts.map(|text| read_template("bug", text).unwrap_err());
        let shown = errors.map(|error| format!("{error}\n  hint: {}", error.hint.as_deref().unwrap_or("-")));
        insta::assert_snapshot!(shown.join("\n"), @"
        `template bug`: unknown key `priorty`
          hint: did you mean `priority`?
        `template bug`: unknown priority `very` (expected: urgent, high, medium, low, none, or 0 to 10)
          hint: -
        `template bug`: `labels` must be one value
          hint: -
        `template bug`: unknown kind `bug` (expected: issue, task, story, epic, milestone, board)
          hint: -
        `template bug`: line 1: the front matter has no end; close it with `---`
          hint: -
        ");
    }
}
