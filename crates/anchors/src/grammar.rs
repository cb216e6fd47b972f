//! A language's rules, indexed by the node kind ids of its grammar; built once per language.

use tree_sitter::Node;

use crate::rules::{Rule, Rules, child_of_kind};

/// The role of a node kind for the walker; the fields of [`Rules`] define each role.
#[derive(Clone, Copy, Default)]
pub(crate) enum Role {
    Symbol(&'static Rule),
    Comment,
    Attribute,
    Wrapper,
    Unread,
    #[default]
    Other,
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
        // In C the value is a child of the declarator.
        let value = || value_of(node).or_else(|| value_of(node.child_by_field_name("declarator")?));
        let of_value = || value().map(|value| value.child_by_field_name("body").unwrap_or(value));
        node.child_by_field_name("body").or_else(of_kind).or_else(of_value)
    }

    /// Returns whether an attribute is a doc comment.
    pub(crate) fn is_doc(&self, attribute: &str) -> bool {
        let start = self.rules.doc_attribute;
        !start.is_empty() && attribute.starts_with(start)
    }

    pub(crate) fn docstring<'tree>(&self, body: Node<'tree>) -> Option<Node<'tree>> {
        self.rules.docstring.and_then(|find| find(body))
    }
}

fn role_of(language: &tree_sitter::Language, rules: &'static Rules, id: u16) -> Role {
    let is_named = language.node_kind_is_named(id);
    let Some(kind) = language.node_kind_for_id(id).filter(|_| is_named) else {
        return Role::Other;
    };
    let lists = [
        (rules.comments, Role::Comment),
        (rules.attributes, Role::Attribute),
        (rules.wrappers, Role::Wrapper),
        (rules.unread, Role::Unread),
    ];
    let symbol = rules.symbols.iter().find(|rule| rule.node == kind).map(Role::Symbol);
    let listed = || lists.iter().find(|(kinds, _)| kinds.contains(&kind)).map(|(_, role)| *role);
    symbol.or_else(listed).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::Language;

    /// A misspelled node kind would silently match nothing.
    #[test]
    fn rules_name_nodes_that_the_grammar_has() {
        for language in Language::all() {
            let Some(grammar) = language.grammar() else { continue };
            let rules = grammar.rules;
            let lists = [rules.comments, rules.attributes, rules.wrappers, rules.unread].into_iter().flatten();
            let mut kinds: Vec<_> = rules.symbols.iter().map(|rule| &rule.node).chain(lists).collect();
            for kind in &kinds {
                assert_ne!(grammar.language.id_for_node_kind(kind, true), 0, "{language} has no `{kind}`");
            }
            let count = kinds.len();
            kinds.sort_unstable();
            kinds.dedup();
            assert_eq!(kinds.len(), count, "{language} gives a kind two roles");
            for kind in rules.bodies {
                let ids = [true, false].map(|named| grammar.language.id_for_node_kind(kind, named));
                assert_ne!(ids, [0, 0], "{language} has no `{kind}`");
            }
        }
    }
}
