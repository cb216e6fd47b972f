//! From a syntax tree to symbols, the same way for every language.
//!
//! One cursor goes through the tree and nothing here calls itself, so no text can exhaust the stack.

use tree_sitter::{Node, Tree};

use crate::extent::{Extent, Leading, rows};
use crate::grammar::Grammar;
use crate::rules::{Named, Site};
use crate::signature::signature;
use crate::{Kind, Lines, Symbol, Symbols};

/// How deep in the tree symbols are looked for. Code that people write stays under a hundred.
const MAX_DEPTH: usize = 1_000;

/// How many symbols may lie in one another: names grow with each.
const MAX_NESTING: usize = 32;

/// Finds the symbols in a tree.
pub(crate) fn walk(grammar: &Grammar, tree: &Tree, text: &str) -> Symbols {
    let root = tree.root_node();
    let mut walker = Walker { grammar, text, levels: Vec::new(), scopes: Vec::new(), all: Vec::new() };
    walker.enter(root, Some(Scope::default()));
    let mut cursor = tree.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        let opened = walker.visit(node);
        if walker.levels.len() < MAX_DEPTH && cursor.goto_first_child() {
            walker.enter(node, opened);
            continue;
        }
        while !cursor.goto_next_sibling() {
            more = cursor.goto_parent() && walker.levels.len() > 1;
            if !more {
                break;
            }
            walker.leave();
        }
    }
    Symbols { all: walker.all, broken: root.has_error() }
}

/// A node that the cursor is in.
struct Level<'tree> {
    node: Node<'tree>,
    is_scope: bool,
    /// What stood before the child the cursor is at.
    leading: Leading,
}

/// A symbol that the cursor is in, or the whole text.
#[derive(Default)]
struct Scope {
    symbol: Option<usize>,
    kind: Option<Kind>,
    /// What the names of its members begin with.
    prefix: String,
    precise: Option<String>,
    last_member: Option<usize>,
}

struct Walker<'a, 'tree> {
    grammar: &'a Grammar,
    text: &'a str,
    levels: Vec<Level<'tree>>,
    scopes: Vec<Scope>,
    all: Vec<Symbol>,
}

impl<'tree> Walker<'_, 'tree> {
    fn enter(&mut self, node: Node<'tree>, opened: Option<Scope>) {
        self.levels.push(Level { node, is_scope: opened.is_some(), leading: Leading::default() });
        self.scopes.extend(opened);
    }

    fn leave(&mut self) {
        if self.levels.pop().is_some_and(|level| level.is_scope) {
            self.scopes.pop();
        }
    }

    /// Takes a node in; returns the scope for what is in it if it is a symbol.
    fn visit(&mut self, node: Node<'tree>) -> Option<Scope> {
        let role = self.grammar.role(node);
        let level = self.levels.last_mut()?;
        let rows = rows(node, self.text);
        let content = self.text.get(node.byte_range()).unwrap_or_default();
        let doc = self.grammar.rules.doc_attribute;
        if role.is_comment || role.is_attribute && !doc.is_empty() && content.starts_with(doc) {
            level.leading.comment(rows, content);
            return None;
        }
        if role.is_attribute {
            level.leading.attribute(rows);
            return None;
        }
        level.leading.other(rows);
        let rule = role.rule?;
        let site = Site { node, parent: Some(level.node), text: self.text };
        let named = rule.name(&site)?;
        let kind = named.kind.unwrap_or(rule.kind);
        self.declare(node, kind, &named)
    }

    fn declare(&mut self, node: Node<'tree>, kind: Kind, named: &Named) -> Option<Scope> {
        let scope = self.scopes.last()?;
        let is_local = kind.is_value() && scope.kind.is_some_and(Kind::has_locals);
        if is_local || self.scopes.len() > MAX_NESTING {
            return None;
        }
        let kind = match kind {
            Kind::Function if named.owner.is_some() => Kind::Method,
            kind => kind.inside(scope.kind),
        };
        let symbol = self.symbol(node, kind, named);
        let inner = Scope {
            symbol: None,
            kind: None,
            prefix: match named.scope.as_deref() {
                Some("") => scope.prefix.clone(),
                Some(scope) => format!("{}{scope}::", &symbol.name[..symbol.own]),
                None => format!("{}::", symbol.name),
            },
            precise: named.precise.as_ref().map(|precise| format!("{}{precise}::", scope.prefix)),
            last_member: None,
        };
        let place = self.add(symbol);
        // Joined to a function, a constant's inside is the function's.
        Some(Scope { symbol: Some(place), kind: Some(self.all[place].kind), ..inner })
    }

    fn symbol(&self, node: Node<'tree>, kind: Kind, named: &Named) -> Symbol {
        let scope = &self.scopes[self.scopes.len() - 1];
        let extent = self.extent(node);
        let owner = named.owner.as_ref().map(|owner| format!("{owner}::")).unwrap_or_default();
        let body = self.grammar.body(node);
        let docstring = body.and_then(|body| self.grammar.docstring(body));
        let (own, owned) = (&named.own, scope.prefix.len() + owner.len());
        Symbol {
            kind,
            name: format!("{}{owner}{own}", scope.prefix),
            precise: scope.precise.as_ref().map(|prefix| format!("{prefix}{owner}{own}")),
            signature: signature(self.grammar, extent.node, body, self.text),
            lines: extent.lines,
            body: body.map(|body| self.body_lines(node, body)),
            doc: docstring.map(|string| rows(string, self.text).lines()).or(extent.doc),
            parent: scope.symbol,
            own: owned,
        }
    }

    /// Returns the lines from where the body begins to the end of the declaration: an `end`, a second guard, a `deriving` belong to it.
    fn body_lines(&self, node: Node<'tree>, body: Node<'tree>) -> Lines {
        let declaration = rows(node, self.text).lines();
        Lines { start: rows(body, self.text).lines().start.min(declaration.end), end: declaration.end }
    }

    /// Returns what belongs to the symbol at this node: with the nodes that are there for it alone, and what stands before.
    fn extent(&self, mut node: Node<'tree>) -> Extent<'tree> {
        let mut leading = None;
        for level in self.levels.iter().rev() {
            leading = Some(&level.leading);
            let is_wrapped = self.grammar.role(level.node).is_wrapper && self.holds_one_symbol(level.node);
            if !is_wrapped {
                break;
            }
            node = level.node;
        }
        leading.unwrap_or(&Leading::default()).extent(node, self.text)
    }

    fn holds_one_symbol(&self, wrapper: Node<'tree>) -> bool {
        let mut cursor = wrapper.walk();
        let may_be = |child: &Node<'_>| {
            let role = self.grammar.role(*child);
            role.rule.is_some() || role.is_wrapper
        };
        wrapper.children(&mut cursor).filter(may_be).nth(1).is_none()
    }

    /// Adds a symbol, or joins it with the one before; returns its place.
    fn add(&mut self, symbol: Symbol) -> usize {
        let scope = self.scopes.last_mut();
        let before = scope.as_ref().and_then(|scope| scope.last_member);
        if let Some((place, before)) = before.and_then(|place| Some((place, self.all.get_mut(place)?)))
            && self.grammar.rules.joins
            && before.continues_with(&symbol)
        {
            before.take_in(&symbol);
            return place;
        }
        if let Some(scope) = scope {
            scope.last_member = Some(self.all.len());
        }
        self.all.push(symbol);
        self.all.len() - 1
    }
}

impl Symbol {
    /// Whether the next symbol is another part of this one: an equation, a clause, an overload.
    fn continues_with(&self, next: &Symbol) -> bool {
        let is_function = matches!(self.kind, Kind::Function | Kind::Method | Kind::Macro);
        // A type signature does not tell whether what follows has arguments.
        let goes_on = self.kind == next.kind || self.body.is_none() && next.kind == Kind::Constant;
        is_function && goes_on && self.name == next.name && self.precise == next.precise
    }

    fn take_in(&mut self, next: &Symbol) {
        self.lines = self.lines.with(next.lines);
        self.body = match (self.body, next.body) {
            (Some(first), Some(second)) => Some(first.with(second)),
            (first, second) => first.or(second),
        };
        self.doc = self.doc.or(next.doc);
    }
}
