//! Files attached to items: pictures, logs. The log has their names, types, sizes and the ids of git's blobs; the content
//! is in the tree of the commit with the operation.

use serde_json::{Value, json};

use crate::op::Change;

/// Maximum size of a file, in bytes.
pub const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// The prefix of the fields of attachments; the rest is the attachment's id.
pub const FIELD_PREFIX: &str = "attachment:";
/// How a text refers to an attachment of its item, before the id.
pub const URL_SCHEME: &str = "attachment:";

/// An attached file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Unique id, a UUID.
    pub id: String,
    /// File name, without folders.
    pub name: String,
    /// Media type, such as `image/png`.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// The id of git's blob with the content, in hexadecimal.
    pub blob: String,
}

impl Attachment {
    /// Returns the name of the field with this attachment.
    pub fn field(&self) -> String {
        format!("{FIELD_PREFIX}{}", self.id)
    }

    /// Returns the value of that field.
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "type": self.media_type, "size": self.size, "blob": self.blob})
    }

    /// Reads a field; `None` if it is not an attachment.
    pub fn from_field(field: &str, value: &Value) -> Option<Self> {
        let id = field.strip_prefix(FIELD_PREFIX).filter(|id| is_id(id))?;
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        Some(Self {
            id: id.to_owned(),
            name: file_name(text("name")?).to_owned(),
            media_type: text("type").unwrap_or(UNKNOWN_TYPE).to_owned(),
            size: value.get("size").and_then(Value::as_u64)?,
            blob: text("blob").filter(|blob| is_blob(blob))?.to_owned(),
        })
    }

    /// Returns the attachments that a change adds.
    pub fn of_change(change: &Change) -> Vec<Self> {
        let read = |(field, value): (&String, &Value)| Self::from_field(field, value);
        match change {
            Change::Set { field, value } => read((field, value)).into_iter().collect(),
            Change::Create { fields, .. } => fields.iter().filter_map(read).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns whether browsers may show content of this type as an image. SVG may contain scripts, so it is none.
    pub fn is_image_type(media_type: &str) -> bool {
        IMAGE_TYPES.contains(&media_type)
    }
}

const UNKNOWN_TYPE: &str = "application/octet-stream";

const IMAGE_TYPES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/// Media types by the ending of the name, for files that are not recognized by their first bytes.
const TYPES_BY_ENDING: [(&str, &str); 13] = [
    ("csv", "text/csv"),
    ("gz", "application/gzip"),
    ("html", "text/html"),
    ("json", "application/json"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("mp4", "video/mp4"),
    ("patch", "text/x-diff"),
    ("diff", "text/x-diff"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Returns the media type of a file: by its first bytes, else by the ending of its name.
pub fn media_type(name: &str, content: &[u8]) -> &'static str {
    let starts = |start: &[u8]| content.starts_with(start);
    let holds = |at: usize, part: &[u8]| content.get(at..).is_some_and(|rest| rest.starts_with(part));
    match () {
        () if starts(b"\x89PNG\r\n\x1a\n") => "image/png",
        () if starts(b"\xff\xd8\xff") => "image/jpeg",
        () if starts(b"GIF87a") || starts(b"GIF89a") => "image/gif",
        () if starts(b"RIFF") && holds(8, b"WEBP") => "image/webp",
        () if holds(4, b"ftypavif") => "image/avif",
        () if starts(b"%PDF-") => "application/pdf",
        () => by_ending(name),
    }
}

fn by_ending(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    TYPES_BY_ENDING.iter().find(|(known, _)| *known == ending).map_or(UNKNOWN_TYPE, |(_, media_type)| media_type)
}

/// Returns the last part of a path with `/` or `\`: names of attachments never lead into a folder.
pub fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if matches!(name, "" | "." | "..") { "file" } else { name }
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_blob(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01900000-0000-7000-8000-000000000016";
    const BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn an_attachment_reads_back_and_other_fields_are_none() {
        let shot = Attachment {
            id: ID.into(),
            name: "shot.png".into(),
            media_type: "image/png".into(),
            size: 3,
            blob: BLOB.into(),
        };
        assert_eq!(Attachment::from_field(&shot.field(), &shot.to_value()), Some(shot.clone()));
        let renamed = json!({"name": "../../etc/passwd", "size": 3, "blob": BLOB});
        assert_eq!(Attachment::from_field(&shot.field(), &renamed).unwrap().name, "passwd");
        for value in [json!(null), json!("x"), json!({"name": "a", "size": 1, "blob": "../x"})] {
            assert_eq!(Attachment::from_field(&shot.field(), &value), None, "{value}");
        }
        assert_eq!(Attachment::from_field("attachment:x", &shot.to_value()), None);
    }

    #[test]
    fn the_content_decides_the_type_before_the_name() {
        assert_eq!(media_type("a.txt", b"\x89PNG\r\n\x1a\n..."), "image/png");
        assert_eq!(media_type("a.png", b"<svg onload=alert(1)>"), UNKNOWN_TYPE);
        assert_eq!(media_type("build.LOG", b"ok"), "text/plain");
        assert_eq!((file_name("C:\\a\\b.png"), file_name("a/.."), file_name("")), ("b.png", "file", "file"));
    }
}
