//! The rules of a language: a table of node kinds, interpreted by one walker for all languages.

use tree_sitter::{Node, Range};

use crate::SymbolKind;

/// Which adjacent symbols with the same name are merged into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joins {
    /// None: overloads are separate functions.
    Nothing,
    /// Signatures with their implementation, and a getter with its setter, as in TypeScript. A second body is a second
    /// function.
    Signatures,
    /// Those whose attributes say so, as in Python; [`Rules::is_part`] decides. Otherwise a second body is a second
    /// function.
    Attributes,
    /// All: equations and clauses of one function, as in Haskell and Elixir.
    Clauses,
}

/// The rules of a language. Node kinds are those of its grammar.
pub(crate) struct Rules {
    /// The nodes that are symbols.
    pub(crate) symbols: &'static [Rule],
    pub(crate) comments: &'static [&'static str],
    /// Nodes that decorate a symbol: part of its lines, but not of its signature.
    pub(crate) attributes: &'static [&'static str],
    /// Prefix of an attribute that is a doc comment.
    pub(crate) doc_attribute: &'static str,
    /// Nodes that belong to the one symbol they contain, such as `export`.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes that are a body without a field `body`; a token such as `=` begins one.
    pub(crate) bodies: &'static [&'static str],
    /// Fields that hold a value where there is no body.
    pub(crate) values: &'static [&'static str],
    /// Finds the docstring in a body.
    pub(crate) docstring: Option<fn(Node<'_>) -> Option<Node<'_>>>,
    /// Nodes that may hold code of the same language that the grammar does not parse.
    pub(crate) unread: &'static [&'static str],
    /// Returns the range of that code, given the node and its parent.
    pub(crate) find_unread: fn(Node<'_>, Node<'_>) -> Option<Range>,
    /// Which adjacent symbols with the same name are merged.
    pub(crate) joins: Joins,
    /// Decides by the attributes of two adjacent functions and their name whether they are one symbol.
    pub(crate) is_part: fn(&str, &str, &str) -> bool,
}

impl Rules {
    /// Empty rules, as a base.
    pub(crate) const NONE: Self = Self {
        symbols: &[],
        comments: &["comment"],
        attributes: &[],
        doc_attribute: "",
        wrappers: &[],
        bodies: &[],
        values: &["value"],
        docstring: None,
        unread: &[],
        find_unread: |_, _| None,
        joins: Joins::Nothing,
        is_part: |_, _, _| false,
    };
}

/// A node kind that is a symbol.
pub(crate) struct Rule {
    pub(crate) node: &'static str,
    pub(crate) kind: SymbolKind,
    pub(crate) name: Name,
    /// A node without a name decorates the next symbol.
    pub(crate) or_attribute: bool,
}

/// Where the name of a symbol is.
pub(crate) enum Name {
    /// In a field of the node.
    Field(&'static str),
    /// In the first child of this kind.
    Child(&'static str),
    /// Computed; `None` if the node is not a symbol after all.
    Made(fn(&Site<'_, '_>) -> Option<DeclaredName>),
}

/// A rule whose name is in the field `name`.
pub(crate) const fn named(node: &'static str, kind: SymbolKind) -> Rule {
    Rule { node, kind, name: Name::Field("name"), or_attribute: false }
}

/// A rule whose name is in the first child of a kind.
pub(crate) const fn child(node: &'static str, kind: SymbolKind, of_kind: &'static str) -> Rule {
    Rule { node, kind, name: Name::Child(of_kind), or_attribute: false }
}

/// A rule with a computed name.
pub(crate) const fn made(
    node: &'static str,
    kind: SymbolKind,
    name: fn(&Site<'_, '_>) -> Option<DeclaredName>,
) -> Rule {
    Rule { node, kind, name: Name::Made(name), or_attribute: false }
}

/// A rule for nodes of which some are symbols and the others attributes.
pub(crate) const fn made_or_attribute(
    node: &'static str,
    kind: SymbolKind,
    name: fn(&Site<'_, '_>) -> Option<DeclaredName>,
) -> Rule {
    Rule { node, kind, name: Name::Made(name), or_attribute: true }
}

impl Rule {
    pub(crate) fn name(&self, site: &Site<'_, '_>) -> Option<DeclaredName> {
        match self.name {
            Name::Field(field) => site.field(field).map(DeclaredName::own),
            Name::Child(kind) => site.child(kind).map(DeclaredName::own),
            Name::Made(make) => make(site),
        }
        .filter(|named| !named.own.is_empty())
    }
}

/// The name of a symbol.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredName {
    pub(crate) own: String,
    /// The owner that the name itself contains, joined by `::`; placed between the enclosing names and `own`.
    pub(crate) owner: Option<String>,
    /// The name of its scope for members, if not `own`; empty for none.
    pub(crate) scope: Option<String>,
    /// The scope that distinguishes members when `scope` does not.
    pub(crate) precise: Option<String>,
    /// The kind, if it differs from the rule's.
    pub(crate) kind: Option<SymbolKind>,
    /// More names that the same node declares: `b` in `var a, b int`.
    pub(crate) also: Vec<String>,
}

impl DeclaredName {
    pub(crate) fn own(name: impl AsRef<str>) -> Self {
        Self { own: clean(name.as_ref()), ..Self::default() }
    }

    /// Splits a path such as `a.b::c` into owner and own name.
    pub(crate) fn path(path: &str) -> Self {
        let mut parts: Vec<String> = split(path).map(clean).filter(|part| !part.is_empty()).collect();
        let own = parts.pop().unwrap_or_default();
        Self { own, ..Self::default() }.belonging_to(&parts.join("::"))
    }

    pub(crate) fn belonging_to(mut self, owner: &str) -> Self {
        self.owner = (!owner.is_empty()).then(|| owner.to_owned());
        self
    }

    pub(crate) fn being(mut self, kind: SymbolKind) -> Self {
        self.kind = Some(kind);
        self
    }
}

/// Splits at the name separators of all languages.
fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split("::").flat_map(|part| part.split(['.', ':', '\\']))
}

/// Strips quotes and sigils, and joins lines.
fn clean(name: &str) -> String {
    let name = name.trim().trim_matches(['"', '\'', '`']);
    let name = name.strip_prefix("r#").or(name.strip_prefix('#')).unwrap_or(name);
    one_line(name)
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A node with its parent. The walker keeps the parent, because the tree finds it only by a search from the root.
pub(crate) struct Site<'tree, 'text> {
    pub(crate) node: Node<'tree>,
    pub(crate) parent: Option<Node<'tree>>,
    pub(crate) text: &'text str,
}

impl<'tree, 'text> Site<'tree, 'text> {
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'text str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(crate) fn field_node(&self, field: &str) -> Option<Node<'tree>> {
        self.node.child_by_field_name(field)
    }

    pub(crate) fn field(&self, field: &str) -> Option<&'text str> {
        self.field_node(field).map(|node| self.text_of(node))
    }

    pub(crate) fn child(&self, kind: &str) -> Option<&'text str> {
        child_of_kind(self.node, kind).map(|node| self.text_of(node))
    }

    /// Returns whether the node begins with this keyword, such as `class A` or `enum A` of one node kind.
    pub(crate) fn has_keyword(&self, keyword: &str) -> bool {
        child_of_kind(self.node, keyword).is_some()
    }
}

/// Returns the first child of a kind among the first hundred: declarations have their name near the start.
pub(crate) fn child_of_kind<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(100).find(|child| child.kind() == kind)
}
