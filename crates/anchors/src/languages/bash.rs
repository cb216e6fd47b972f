//! Bash and other shells.

use crate::SymbolKind;
use crate::rules::{DeclaredName, Rules, made, named};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        named("function_definition", SymbolKind::Function),
        // An assignment in front of a command only holds for that command.
        made("variable_assignment", SymbolKind::Variable, |site| {
            let parent = site.parent?;
            let is_declared = matches!(parent.kind(), "program" | "declaration_command");
            let is_constant = site.text_of(parent).starts_with("readonly");
            let name = DeclaredName::own(site.field("name").filter(|_| is_declared)?);
            Some(if is_constant { name.being(SymbolKind::Constant) } else { name })
        }),
    ],
    wrappers: &["declaration_command"],
    ..Rules::NONE
};
