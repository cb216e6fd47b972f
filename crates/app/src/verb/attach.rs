//! Files of items: attach, read, remove.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use model::attachment::{Attachment, MAX_BYTES, file_name, media_type};
use model::item_ref::ItemRef;
use model::op::Change;
use model::text::{check_line, counted};
use serde_json::Value;
use store::git::ObjectId;
use store::index::Row;

use crate::change::check_revision;
use crate::error::Error;
use crate::project::{Project, WritePlan, mention, subject};
use crate::view::{AttachmentView, ItemView};

/// A file to attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttachment {
    /// Its name; only the last part of a path counts.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

impl NewAttachment {
    /// Reads a file. One byte more than allowed is enough to refuse it, however large it is.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let cannot = |error: std::io::Error| Error::invalid(format!("cannot read `{}`: {error}", path.display()));
        let mut content = Vec::new();
        fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut content)).map_err(cannot)?;
        Ok(Self { name: path.to_string_lossy().into_owned(), content })
    }
}

impl Project {
    /// Attaches files to an item, all in one commit, and returns the item.
    pub fn attach(
        &mut self,
        item: &ItemRef,
        files: &[NewAttachment],
        if_unchanged: Option<&str>,
    ) -> Result<ItemView, Error> {
        // Refused before anything is written.
        refuse_deleted_item(self, item)?;
        let attachments: Vec<Attachment> = files.iter().map(|file| self.stored(file)).collect::<Result<_, Error>>()?;
        self.write_item(|context| {
            let row = context.find_living(item)?;
            check_revision(&row, if_unchanged)?;
            let set = |one: &Attachment| Change::Set { field: one.field(), value: one.to_value() };
            let changes = attachments.iter().map(|one| (row.item.id, set(one)));
            Ok((WritePlan::new(subject(&[&row], &attached(&attachments)), changes), row.item.id))
        })
    }

    /// Removes an attachment from an item and returns the item. Its content stays in the history.
    pub fn detach(&mut self, item: &ItemRef, name: &str, if_unchanged: Option<&str>) -> Result<ItemView, Error> {
        self.write_item(|context| {
            let row = context.find_living(item)?;
            check_revision(&row, if_unchanged)?;
            let found = find(&row, name)?;
            let change = Change::Set { field: found.field(), value: Value::Null };
            let subject = subject(&[&row], &format!("remove the attachment `{}`", found.name));
            Ok((WritePlan::new(subject, [(row.item.id, change)]), row.item.id))
        })
    }

    /// Returns an attachment of an item and its content. It is named by its id, a prefix of it, or its file name.
    pub fn attachment(&self, item: &ItemRef, name: &str) -> Result<(AttachmentView, Vec<u8>), Error> {
        let found = find(&self.find(item)?, name)?;
        let content = self.content(&found)?;
        Ok((found.into(), content))
    }

    fn stored(&self, file: &NewAttachment) -> Result<Attachment, Error> {
        let name = check_line("file name", file_name(&file.name))?;
        let size = file.content.len() as u64;
        if size > MAX_BYTES {
            return Err(Error::invalid(format!("`{name}` has {size} bytes; an attachment has at most {MAX_BYTES}"))
                .hint("commit it to the repository, or link to where it is"));
        }
        let blob = self.store.repository().write_blob(&file.content)?.to_string();
        let id = (self.env.uuid)().to_string();
        Ok(Attachment { id, media_type: media_type(&name, &file.content).to_owned(), name, size, blob })
    }

    fn content(&self, found: &Attachment) -> Result<Vec<u8>, Error> {
        let missing = || {
            Error::not_found(format!("the content of `{}` is not in this clone", found.name))
                .hint("it was left out by a partial clone or by an export; `cairn sync` fetches it from where it is")
        };
        let id: ObjectId = found.blob.parse().map_err(|_| missing())?;
        self.store.repository().with_blob(&id, MAX_BYTES, <[u8]>::to_vec).map_err(|_| missing())
    }
}

fn refuse_deleted_item(project: &Project, item: &ItemRef) -> Result<(), Error> {
    crate::project::refuse_deleted(&project.find(item)?)
}

fn attached(attachments: &[Attachment]) -> String {
    match attachments {
        [one] => format!("attach `{}`", one.name),
        several => format!("attach {}", counted(several.len(), "file")),
    }
}

fn find(row: &Row, name: &str) -> Result<Attachment, Error> {
    let all = row.item.extra.iter().filter_map(|(field, value)| Attachment::from_field(field, value));
    let mut all: Vec<Attachment> = all.collect();
    let is_id = |one: &Attachment| name.len() >= MIN_PREFIX && one.id.starts_with(&name.to_lowercase());
    let named: Vec<usize> = (0..all.len()).filter(|n| all[*n].name == name || is_id(&all[*n])).collect();
    match named[..] {
        // Of several files with one name the newest is meant: ids are in the order of time.
        [.., last] if named.iter().all(|n| all[*n].name == name) || named.len() == 1 => Ok(all.swap_remove(last)),
        [] => Err(not_found(row, &all, name)),
        _ => Err(Error::invalid(format!("several attachments of {} begin with `{name}`", mention(row)))),
    }
}

/// Minimum length of a prefix of an id: the first digits are a time, which files attached together share.
const MIN_PREFIX: usize = 8;

fn not_found(row: &Row, all: &[Attachment], name: &str) -> Error {
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has: {}", names.join(", ")) };
    Error::not_found(format!("{} has no attachment `{name}`", mention(row))).hint(has)
}
