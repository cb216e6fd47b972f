//! Options that narrow a dialect for one server: spelling of tool names, read-only, toolsets, and strict conformance to
//! the contract where clients have trouble with it.

use crate::dialect::{HttpPolicy, ToolNames};
use crate::registry::Tool;

/// The toolset of tools that go beyond a contract; off by default.
pub const EXTENDED: &str = "extended";

/// How a server serves its dialect. The default is the whole contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServeOptions {
    /// Spelling of tool names in `tools/list`.
    pub names: ToolNames,
    /// Writing tools are left out.
    pub read_only: bool,
    /// Only tools of these toolsets; `None` means all except [`EXTENDED`].
    pub toolsets: Option<Vec<String>>,
    /// Adds the toolset [`EXTENDED`].
    pub extended: bool,
    /// Conforms to the contract where official clients reject it; see
    /// [`Resources::ends_with_null`](crate::Resources::ends_with_null).
    pub contract_strict: bool,
    /// HTTP status of error responses.
    pub http_status: HttpStatus,
}

/// HTTP status of an error response to a well-formed request of a client that begins with `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpStatus {
    /// The status that the dialect's contract assigns to the error code.
    #[default]
    Contract,
    /// Always 200, since the body holds the error; some clients abort on anything else.
    Specification,
}

impl ServeOptions {
    /// Returns whether a tool is served.
    pub fn includes<C>(&self, tool: &Tool<C>) -> bool {
        let is_extended = tool.toolset == EXTENDED;
        let is_named = |chosen: &Vec<String>| chosen.iter().any(|name| name == tool.toolset);
        let is_chosen = self.toolsets.as_ref().map_or(!is_extended, is_named) || (is_extended && self.extended);
        is_chosen && (!self.read_only || tool.effect.is_read_only())
    }

    /// Applies these options to the HTTP policy of a dialect.
    pub(crate) fn http(&self, policy: HttpPolicy) -> HttpPolicy {
        match self.http_status {
            HttpStatus::Contract => policy,
            HttpStatus::Specification => HttpPolicy { status: None, ..policy },
        }
    }
}
