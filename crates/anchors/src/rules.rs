//! How a language says what its symbols are: a table of node kinds, read by the one walker for all languages.

use tree_sitter::{Node, Range};

use crate::Kind;

/// Which neighbours of one name are one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joins {
    /// None: overloads are functions of their own.
    Nothing,
    /// Signatures with the function they are of, and what reads with what writes a property, as in TypeScript. Otherwise a second
    /// body is a second function.
    Signatures,
    /// Those whose attributes say so, as in Python: [`Rules::is_part`] decides. Otherwise a second body is a second function.
    Attributes,
    /// All: equations and clauses of one function, as in Haskell and Elixir.
    Clauses,
}

/// What the walker must know of a language. Node kinds are those of its grammar.
pub(crate) struct Rules {
    /// Which nodes are symbols.
    pub(crate) symbols: &'static [Rule],
    pub(crate) comments: &'static [&'static str],
    /// Nodes that decorate a symbol: they count to its lines and are left out of its signature.
    pub(crate) attributes: &'static [&'static str],
    /// How an attribute begins that is a comment on the symbol.
    pub(crate) doc_attribute: &'static str,
    /// Nodes that belong to the one symbol they hold, such as `export`.
    pub(crate) wrappers: &'static [&'static str],
    /// Nodes that are a body where no field `body` says so; a sign such as `=` begins one.
    pub(crate) bodies: &'static [&'static str],
    /// Fields that hold a value where there is no body.
    pub(crate) values: &'static [&'static str],
    /// Finds the docstring in a body.
    pub(crate) docstring: Option<fn(Node<'_>) -> Option<Node<'_>>>,
    /// Nodes that may hold code of the same language which the grammar leaves unread.
    pub(crate) unread: &'static [&'static str],
    /// Finds where it is, given the node and its parent.
    pub(crate) find_unread: fn(Node<'_>, Node<'_>) -> Option<Range>,
    /// Which neighbours of one name are one function.
    pub(crate) joins: Joins,
    /// Tells by the attributes of a function and of the next one, and by their name, whether the two are one.
    pub(crate) is_part: fn(&str, &str, &str) -> bool,
}

impl Rules {
    /// A language without symbols, to be filled in.
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

/// One kind of node that is a symbol.
pub(crate) struct Rule {
    pub(crate) node: &'static str,
    pub(crate) kind: Kind,
    pub(crate) name: Name,
    /// A node that has no name decorates the symbol after it.
    pub(crate) or_attribute: bool,
}

/// Where the name of a symbol is.
pub(crate) enum Name {
    /// In a field of the node.
    Field(&'static str),
    /// In the first child of that kind.
    Child(&'static str),
    /// To be worked out; `None` if the node is no symbol after all.
    Made(fn(&Site<'_, '_>) -> Option<Named>),
}

/// A rule whose name is in the field `name`.
pub(crate) const fn named(node: &'static str, kind: Kind) -> Rule {
    Rule { node, kind, name: Name::Field("name"), or_attribute: false }
}

/// A rule whose name is in the first child of a kind.
pub(crate) const fn child(node: &'static str, kind: Kind, of_kind: &'static str) -> Rule {
    Rule { node, kind, name: Name::Child(of_kind), or_attribute: false }
}

/// A rule whose name is worked out.
pub(crate) const fn made(node: &'static str, kind: Kind, name: fn(&Site<'_, '_>) -> Option<Named>) -> Rule {
    Rule { node, kind, name: Name::Made(name), or_attribute: false }
}

/// A rule for nodes of which some are symbols and the others attributes.
pub(crate) const fn made_or_attribute(
    node: &'static str,
    kind: Kind,
    name: fn(&Site<'_, '_>) -> Option<Named>,
) -> Rule {
    Rule { node, kind, name: Name::Made(name), or_attribute: true }
}

impl Rule {
    pub(crate) fn name(&self, site: &Site<'_, '_>) -> Option<Named> {
        match self.name {
            Name::Field(field) => site.field(field).map(Named::own),
            Name::Child(kind) => site.child(kind).map(Named::own),
            Name::Made(make) => make(site),
        }
        .filter(|named| !named.own.is_empty())
    }
}

/// What a symbol is called.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name itself.
    pub(crate) own: String,
    /// What the name says it belongs to, joined by `::`; comes between what encloses it and `own`.
    pub(crate) owner: Option<String>,
    /// What its members call it, if not `own`; nothing if they do not.
    pub(crate) scope: Option<String>,
    /// What its members call it when the scope is not enough.
    pub(crate) precise: Option<String>,
    /// What it is, if not what the rule says.
    pub(crate) kind: Option<Kind>,
    /// Names declared along with it by the same node: `b` in `var a, b int`.
    pub(crate) also: Vec<String>,
}

impl Named {
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

    pub(crate) fn being(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }
}

/// Splits at what separates names in one language or another.
fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split("::").flat_map(|part| part.split(['.', ':', '\\']))
}

/// Takes off quotes and sigils, and puts the rest on one line.
fn clean(name: &str) -> String {
    let name = name.trim().trim_matches(['"', '\'', '`']);
    let name = name.strip_prefix("r#").or(name.strip_prefix('#')).unwrap_or(name);
    one_line(name)
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A node where it stands. The parent is kept by the walker, since asking the tree for it costs a search from the root.
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

    /// Whether the node begins with this word, as in `class A` or `enum A` of one node kind.
    pub(crate) fn has_keyword(&self, keyword: &str) -> bool {
        child_of_kind(self.node, keyword).is_some()
    }
}

/// Returns the first child of a kind, among the first hundred: declarations keep what names them in front.
pub(crate) fn child_of_kind<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(100).find(|child| child.kind() == kind)
}
