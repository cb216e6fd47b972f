//! Which part of a dialect a server offers: how tools are spelled, whether they may write, which groups are on.

use crate::dialect::ToolNames;
use crate::registry::Tool;

/// What a server offers of its dialect; everything unless said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// How tools are listed.
    pub names: ToolNames,
    /// Tools that write are left out.
    pub read_only: bool,
    /// Only tools of these groups; all without one.
    pub toolsets: Option<Vec<String>>,
}

impl Offer {
    /// Tells whether a tool is offered.
    pub fn includes<C>(&self, tool: &Tool<C>) -> bool {
        let is_chosen = self.toolsets.as_ref().is_none_or(|chosen| chosen.iter().any(|name| name == tool.toolset));
        is_chosen && (!self.read_only || tool.effect.is_read_only())
    }
}
