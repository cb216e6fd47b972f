//! Attached files as resources: texts and images, which a model can read. `show` names the URI of each.

use app::view::{AttachmentView, ItemView};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp::{Fault, ResourceContents, ResourceData};
use model::attachment::Attachment;
use model::item_ref::ItemRef;
use serde_json::{Value, json};

use super::{CairnState, fault, resources};

/// Maximum size of a file that is sent, since all of it goes into the model's context: an image of a screen has less.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Reads an attachment, which is named by its id or its file name.
pub(super) fn read(state: &CairnState, uri: &str, item: &str, name: &str) -> Result<ResourceContents, Fault> {
    let read = state.projects.read(|project| project.attachment(&ItemRef::parse(item), name));
    let (attachment, content) = read.map_err(|error| fault(&error))?;
    if attachment.size > MAX_BYTES {
        return Err(Fault::Invalid(format!(
            "`{}` has {} bytes; a resource has at most {MAX_BYTES}",
            attachment.name, attachment.size
        )));
    }
    if Attachment::is_image_type(&attachment.media_type) {
        let data = ResourceData::Base64(STANDARD.encode(&content));
        return Ok(ResourceContents { uri: uri.to_owned(), mime: Some(attachment.media_type), data });
    }
    match String::from_utf8(content) {
        Ok(text) => Ok(ResourceContents::text(uri, text_type(&attachment), text)),
        Err(_) => Err(Fault::Invalid(format!("`{}` is neither a text nor an image", attachment.name))),
    }
}

/// A file of unknown type that is UTF-8 is a text.
fn text_type(attachment: &AttachmentView) -> &str {
    if attachment.media_type == "application/octet-stream" { "text/plain" } else { &attachment.media_type }
}

/// Returns the attachments of an item as `show` lists them: with a URI each.
pub(super) fn listed(item: &ItemView) -> Value {
    let address = resources::address(item);
    let one = |attachment: &AttachmentView| {
        json!({"name": attachment.name, "type": attachment.media_type, "size": attachment.size,
            "uri": format!("{address}/attachment/{}", attachment.id)})
    };
    item.attachments.iter().map(one).collect()
}
