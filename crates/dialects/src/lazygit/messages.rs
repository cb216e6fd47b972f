//! `lazygit://messages`: the pending messages, without marking them as delivered.

use inbox::LazyInbox;
use mcp::{Call, Fault, PageRequest, Resource, ResourceContents, ResourceData, ResourcePage};

use super::{fault, text};

/// The only resource.
pub(super) const URI: &str = "lazygit://messages";

const MIME: &str = "text/plain";

#[expect(clippy::unnecessary_wraps, reason = "the table wants a list that may fail")]
pub(super) fn list(_: &LazyInbox, _: PageRequest<'_>) -> Result<ResourcePage<Resource>, Fault> {
    Ok(ResourcePage::all(vec![Resource {
        uri: URI.to_owned(),
        name: "Lazygit Messages".to_owned(),
        title: None,
        description: Some("Messages from lazygit for code improvement".to_owned()),
        mime: Some(MIME.to_owned()),
    }]))
}

pub(super) fn read(inbox: &LazyInbox, uri: &str, _: &Call) -> Result<Vec<ResourceContents>, Fault> {
    if uri != URI {
        return Err(Fault::Missing(format!("there is no resource `{uri}`; the only one is `{URI}`")));
    }
    let waiting = inbox.get().and_then(|inbox| inbox.waiting()).map_err(|error| fault(&error))?;
    let data = ResourceData::Text(text(&waiting.items));
    Ok(vec![ResourceContents { uri: uri.to_owned(), mime: Some(MIME.to_owned()), data }])
}
