//! The XML of Jira: an RSS feed with an `item` for each issue. Texts are HTML and become Markdown.

use std::io::BufRead;

use app::Error;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::{priority_word, times};
use super::html::markdown;
use super::{EmitIssue, Issue, custom, kind, status, version_id};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, SourceId, Target};

/// Maximum depth of elements, against hostile files.
const MAX_DEPTH: usize = 64;

/// The id of what is not set: nobody, unresolved.
const NOBODY: &str = "-1";

/// An element with its text and children.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Element>,
}

pub(super) fn read(input: &Input, emit: &mut EmitIssue<'_>) -> Result<(), Error> {
    let (reader, limit) = input.element_reader()?;
    let mut reader = Reader::from_reader(reader);
    // `<statusCategory key="done"/>` is an element like any other.
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut n = 0;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|error| bad_xml(input, &reader, &error))? {
            Event::Start(start) if start.name().as_ref() == b"item" => {
                n += 1;
                limit.restart();
                let start = start.into_owned();
                let position = reader.buffer_position();
                let element = read_element(input, &mut reader, &start, 0)?;
                let issue = issue(&format!("`{}`: item {n}", input.name()), &element);
                emit(issue.map_err(|error| placed(input, position, error))?)?;
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn read_element<R: BufRead>(
    input: &Input,
    reader: &mut Reader<R>,
    start: &BytesStart<'_>,
    depth: usize,
) -> Result<Element, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::invalid(format!("`{}`: elements are nested more than {MAX_DEPTH} deep", input.name())));
    }
    let mut element = Element { name: text_of(start.name().as_ref()), ..Element::default() };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| bad_xml(input, reader, &error))?;
        let value = attribute.unescape_value().map_err(|error| bad_xml(input, reader, &error))?;
        element.attributes.push((text_of(attribute.key.as_ref()), value.into_owned()));
    }
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|error| bad_xml(input, reader, &error))? {
            Event::Start(child) => {
                let child = child.into_owned();
                element.children.push(read_element(input, reader, &child, depth + 1)?);
            }
            Event::Text(text) => element.text.push_str(std::str::from_utf8(&text).map_err(|_| input.not_utf_8())?),
            Event::CData(text) => element.text.push_str(std::str::from_utf8(&text).map_err(|_| input.not_utf_8())?),
            // Only the five entities of XML and character references; others, which a document could define, are not.
            Event::GeneralRef(entity) => {
                let name = text_of(&entity);
                let resolved = quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned);
                let character = || entity.resolve_char_ref().ok().flatten().map(String::from);
                let unknown = || bad_xml(input, reader, &format!("unknown entity `&{name};`"));
                element.text.push_str(&resolved.or_else(character).ok_or_else(unknown)?);
            }
            Event::End(_) => return Ok(element),
            Event::Eof => {
                return Err(bad_xml(input, reader, &format!("the element `{}` is not closed", element.name)));
            }
            _ => {}
        }
    }
}

fn bad_xml<R: BufRead>(input: &Input, reader: &Reader<R>, error: &dyn std::fmt::Display) -> Error {
    let (line, column) = place_of(input, reader.error_position().max(reader.buffer_position()));
    input.at(line, Some(column), format!("not valid XML: {error}"))
}

/// Adds to an error about an item the place where the item begins.
fn placed(input: &Input, position: u64, mut error: Error) -> Error {
    let file = format!("`{}`: ", input.name());
    if let Some(rest) = error.message.strip_prefix(&file) {
        let (line, column) = place_of(input, position);
        error.message = format!("{file}line {line}, column {column}: {rest}");
    }
    error
}

// Only for an error: the reader knows bytes, people lines.
fn place_of(input: &Input, position: u64) -> (usize, usize) {
    let Ok(mut file) = input.reader() else { return (1, 1) };
    let (mut line, mut column, mut left) = (1, 1, position);
    while let Ok(bytes) = file.fill_buf() {
        let n = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if n == 0 {
            break;
        }
        for byte in &bytes[..n] {
            (line, column) = if *byte == b'\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        left -= n as u64;
        file.consume(n);
    }
    (line, column)
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Element {
    fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    fn text_in(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim()).filter(|text| !text.is_empty())
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

fn issue(place: &str, element: &Element) -> Result<Issue, Error> {
    let missing = |what: &str| Error::invalid(format!("{place}: the issue has no `{what}`"));
    let key = element.text_in("key").ok_or_else(|| missing("key"))?;
    let title = element.text_in("summary").ok_or_else(|| missing("summary"))?;
    let (kind, type_) = kind(element.text_in("type").unwrap_or_default());
    let mut item = ImportedItem::new(place, SourceId::Of(key.to_owned()), kind, title);
    item.type_ = type_;
    item.url = element.text_in("link").map(str::to_owned);
    item.description = markdown(element.text_in("description").unwrap_or_default());
    let category = element.child("statusCategory").and_then(|category| category.attribute("key"));
    // Its name for "unresolved" is in the language of the user, its id is not.
    let resolution = element.child("resolution").filter(|one| one.attribute("id") != Some(NOBODY));
    let resolution = resolution.map(|one| one.text.trim()).filter(|text| !text.is_empty());
    item.status = status(element.text_in("status").unwrap_or_default(), category, resolution);
    if let Some(word) = element.text_in("priority") {
        item.set_priority(word, priority_word(word));
    }
    let labels = element.child("labels").into_iter().flat_map(|labels| labels.all("label"));
    item.labels = labels.chain(element.all("component")).map(|label| label.text.trim().to_owned()).collect();
    item.author = element.child("reporter").and_then(person);
    item.assignees = element.child("assignee").and_then(person).into_iter().collect();
    let at = |name: &str| element.text_in(name).map(times::time).transpose();
    let placed = |why: String| Error::invalid(format!("{place}: {why}"));
    item.created = at("created").map_err(placed)?;
    item.updated = at("updated").map_err(placed)?;
    item.closed = at("resolved").map_err(placed)?;
    item.due = element.text_in("due").map(times::day).transpose().map_err(placed)?;
    let versions: Vec<String> = element.all("fixVersion").map(|version| version.text.trim().to_owned()).collect();
    item.milestone = versions.first().map(|name| Target::Id(version_id(name)));
    for version in versions.iter().skip(1) {
        item.leave_out("further fix version", "an item belongs to one milestone", format!("{version} of {key}"));
    }
    item.parent = element.text_in("parent").map(|key| Target::Id(key.to_owned()));
    read_links(element, &mut item);
    read_others(element, key, &mut item);
    for comment in element.child("comments").into_iter().flat_map(|comments| comments.all("comment")) {
        item.comments.push(ImportedComment {
            id: comment.attribute("id").map_or(SourceId::None, |id| SourceId::Of(id.to_owned())),
            author: comment.attribute("author").and_then(|author| ImportedPerson::of_username(author).known()),
            created: comment.attribute("created").map(times::time).transpose().map_err(placed)?,
            body: markdown(comment.text.trim()),
        });
    }
    for attachment in element.child("attachments").into_iter().flat_map(|list| list.all("attachment")) {
        item.leave_out("attachment", "files stay in Jira", attachment.attribute("name").unwrap_or_default());
    }
    Ok(Issue { item, versions })
}

fn person(element: &Element) -> Option<ImportedPerson> {
    // Servers name users, the cloud accounts; comments have only this name.
    let username = element.attribute("username").or_else(|| element.attribute("accountid"));
    let name = element.text.trim();
    if username == Some(NOBODY) || name.eq_ignore_ascii_case("unassigned") {
        return None;
    }
    let parsed = ImportedPerson::parse(name);
    ImportedPerson { username: username.unwrap_or_default().to_owned(), ..parsed }.known()
}

/// Reads what has no place of its own here, and notes what is left out.
fn read_others(element: &Element, key: &str, item: &mut ImportedItem) {
    let environment = markdown(element.text_in("environment").unwrap_or_default());
    if !environment.is_empty() {
        custom::put(item, "environment", environment);
    }
    let affected: Vec<&str> = element.all("version").map(|version| version.text.trim()).collect();
    if !affected.is_empty() {
        custom::put(item, "affects_versions", affected.join(", "));
    }
    for field in element.child("customfields").into_iter().flat_map(|fields| fields.all("customfield")) {
        let values = field.child("customfieldvalues").into_iter().flat_map(|values| &values.children);
        let values: Vec<String> =
            values.map(|value| markdown(value.text.trim())).filter(|value| !value.is_empty()).collect();
        custom::add(item, field.text_in("customfieldname").unwrap_or_default(), &values);
    }
    let has_time = ["timeoriginalestimate", "timeestimate", "timespent"].iter().any(|name| {
        element.child(name).and_then(|time| time.attribute("seconds")).is_some_and(|seconds| seconds != "0")
    });
    if has_time {
        item.leave_out("time tracking", "there is no place for it", key);
    }
    if element.text_in("votes").is_some_and(|votes| votes != "0") {
        item.leave_out("votes", "there is no place for them", key);
    }
}

fn read_links(element: &Element, item: &mut ImportedItem) {
    let types = element.child("issuelinks").into_iter().flat_map(|links| links.all("issuelinktype"));
    for link_type in types {
        let name = link_type.text_in("name").unwrap_or_default();
        let keys = |direction: &str| -> Vec<Target> {
            let links = link_type.all(direction).flat_map(|links| links.all("issuelink"));
            links.filter_map(|link| link.text_in("issuekey")).map(|key| Target::Id(key.to_owned())).collect()
        };
        if name == "Blocks" {
            item.blocks.extend(keys("outwardlinks"));
            item.blocked_by.extend(keys("inwardlinks"));
        } else {
            item.relates.extend(keys("outwardlinks"));
        }
    }
}
