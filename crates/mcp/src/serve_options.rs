//! Which part of a dialect a server offers: how tools are spelled, whether they may write, which groups are on, and how
//! close to the letter of its contract it stays where clients have trouble with that.

use crate::dialect::{HttpPolicy, ToolNames};
use crate::registry::Tool;

/// The group of tools that go beyond a contract: offered only when asked for.
pub const EXTENDED: &str = "extended";

/// What a server offers of its dialect; everything that the contract has unless said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServeOptions {
    /// How tools are listed.
    pub names: ToolNames,
    /// Tools that write are left out.
    pub read_only: bool,
    /// Only tools of these groups; all without one.
    pub toolsets: Option<Vec<String>>,
    /// The tools of the group [`EXTENDED`], too.
    pub extended: bool,
    /// What a contract says and official clients refuse is done, too: see
    /// [`Resources::ends_with_null`](crate::Resources::ends_with_null).
    pub contract_strict: bool,
    /// Which status an error has over HTTP.
    pub http_status: HttpStatus,
}

/// Which status an error has over HTTP, when the request was well formed and the client begins with `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpStatus {
    /// The one that the dialect's contract has for its code.
    #[default]
    Contract,
    /// 200, since the error is in the answer; some clients give up on anything else.
    Specification,
}

impl ServeOptions {
    /// Tells whether a tool is offered.
    pub fn includes<C>(&self, tool: &Tool<C>) -> bool {
        let is_extended = tool.toolset == EXTENDED;
        let is_named = |chosen: &Vec<String>| chosen.iter().any(|name| name == tool.toolset);
        let is_chosen = self.toolsets.as_ref().map_or(!is_extended, is_named) || (is_extended && self.extended);
        is_chosen && (!self.read_only || tool.effect.is_read_only())
    }

    /// Returns what is left of a dialect's own ways over HTTP.
    pub(crate) fn http(&self, policy: HttpPolicy) -> HttpPolicy {
        match self.http_status {
            HttpStatus::Contract => policy,
            HttpStatus::Specification => HttpPolicy { status: None, ..policy },
        }
    }
}
