//! A language's rules, looked up by the numbers its grammar gives to node kinds; made once for each language.

use tree_sitter::Node;

use crate::rules::{Rule, Rules, child_of_kind};

/// What a node kind is to the walker.
#[derive(Clone, Copy, Default)]
pub(crate) struct Role {
    pub(crate) rule: Option<&'static Rule>,
    pub(crate) is_comment: bool,
    pub(crate) is_attribute: bool,
    pub(crate) is_wrapper: bool,
}

pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) rules: &'static Rules,
    roles: Vec<Role>,
}

impl Grammar {
    pub(crate) fn new(language: tree_sitter::Language, rules: &'static Rules) -> Self {
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let roles = (0..count).map(|id| role_of(&language, rules, id)).collect();
        Self { language, rules, roles }
    }

    pub(crate) fn role(&self, node: Node<'_>) -> Role {
        self.roles.get(usize::from(node.kind_id())).copied().unwrap_or_default()
    }

    /// Returns the body of a symbol, or the value it is bound to.
    pub(crate) fn body<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let of_kind = || self.rules.bodies.iter().find_map(|kind| child_of_kind(node, kind));
        let value_of = |node: Node<'tree>| self.rules.values.iter().find_map(|field| node.child_by_field_name(field));
        // C hangs the value on what it declares.
        let value = || value_of(node).or_else(|| value_of(node.child_by_field_name("declarator")?));
        let of_value = || value().map(|value| value.child_by_field_name("body").unwrap_or(value));
        node.child_by_field_name("body").or_else(of_kind).or_else(of_value)
    }

    pub(crate) fn docstring<'tree>(&self, body: Node<'tree>) -> Option<Node<'tree>> {
        self.rules.docstring.and_then(|find| find(body))
    }
}

fn role_of(language: &tree_sitter::Language, rules: &'static Rules, id: u16) -> Role {
    let is_named = language.node_kind_is_named(id);
    let Some(kind) = language.node_kind_for_id(id).filter(|_| is_named) else {
        return Role::default();
    };
    Role {
        rule: rules.symbols.iter().find(|rule| rule.node == kind),
        is_comment: rules.comments.contains(&kind),
        is_attribute: rules.attributes.contains(&kind),
        is_wrapper: rules.wrappers.contains(&kind),
    }
}

#[cfg(test)]
mod tests {
    use crate::Language;

    /// A misspelt kind would only ever find nothing.
    #[test]
    fn rules_name_nodes_that_the_grammar_has() {
        for language in Language::all() {
            let Some(grammar) = language.grammar() else { continue };
            let rules = grammar.rules;
            let kinds = rules.symbols.iter().map(|rule| &rule.node).chain(rules.comments).chain(rules.attributes);
            for kind in kinds.chain(rules.wrappers) {
                assert_ne!(grammar.language.id_for_node_kind(kind, true), 0, "{language} has no `{kind}`");
            }
            for kind in rules.bodies {
                let ids = [true, false].map(|named| grammar.language.id_for_node_kind(kind, named));
                assert_ne!(ids, [0, 0], "{language} has no `{kind}`");
            }
        }
    }
}
