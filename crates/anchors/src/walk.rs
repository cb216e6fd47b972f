//! Collects the symbols of a syntax tree, in the same way for every language.
//!
//! One cursor walks the tree without recursion, so no input can overflow the stack.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::extent::{Extent, Leading, rows};
use crate::grammar::{Grammar, Role};
use crate::parse::parse_part;
use crate::rules::{DeclaredName, Joins, Rules, Site};
use crate::signature::signature;
use crate::{LineRange, Symbol, SymbolKind, Symbols};

/// Maximum depth of the tree walk. Code that people write stays below a hundred.
const MAX_DEPTH: usize = 1_000;

/// Maximum nesting of symbols: names grow with each level.
const MAX_NESTING: usize = 32;

/// Maximum distance in lines to the next equation or clause of a function; a blank line may be between.
const MAX_GAP: usize = 2;

/// Maximum number of embedded parts that are parsed separately.
const MAX_PARTS: usize = 500;

/// Finds the symbols in a tree, and in the parts of the text that the grammar does not parse.
pub(crate) fn walk(grammar: &Grammar, tree: &Tree, text: &str) -> Symbols {
    let mut found = WalkResult::default();
    walk_one(grammar, tree, text, Scope::default(), &mut found);
    let mut n_read = 0;
    while let Some(EmbeddedPart { range, scope }) = found.parts.pop() {
        n_read += 1;
        let part = parse_part(grammar, text, range).filter(|tree| n_read <= MAX_PARTS && !tree.root_node().has_error());
        if let Some(tree) = part {
            walk_one(grammar, &tree, text, scope, &mut found);
        }
    }
    let root = tree.root_node();
    Symbols { all: in_order(found.all), broken: root.has_error(), n_unread: n_unread(root) }
}

/// Counts the lines of the outermost error nodes: inside an error the parser only guesses. Uses an explicit stack,
/// because the nesting may be deeper than the call stack.
fn n_unread(root: Node<'_>) -> usize {
    let mut n_lines = 0;
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        if node.is_error() {
            n_lines += node.end_position().row + 1 - node.start_position().row;
        } else {
            let mut cursor = node.walk();
            left.extend(node.children(&mut cursor).filter(Node::has_error));
        }
    }
    n_lines
}

#[derive(Default)]
struct WalkResult {
    all: Vec<Symbol>,
    parts: Vec<EmbeddedPart>,
}

/// A part of the text to be parsed separately, with its scope.
struct EmbeddedPart {
    range: tree_sitter::Range,
    scope: Scope,
}

fn walk_one(grammar: &Grammar, tree: &Tree, text: &str, scope: Scope, found: &mut WalkResult) {
    let mut walker = Walker { grammar, text, levels: Vec::new(), scopes: Vec::new(), found };
    walker.enter(tree.root_node(), Some(scope));
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
}

/// Sorts symbols by their first line. The sort is stable, so an enclosing symbol stays before those inside it.
fn in_order(mut all: Vec<Symbol>) -> Vec<Symbol> {
    if all.is_sorted_by_key(|symbol| symbol.lines.start) {
        return all;
    }
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by_key(|place| all[*place].lines.start);
    let mut moved = vec![0; all.len()];
    for (now, before) in places.iter().enumerate() {
        moved[*before] = now;
    }
    for symbol in &mut all {
        symbol.parent = symbol.parent.map(|parent| moved[parent]);
    }
    all.sort_by_key(|symbol| symbol.lines.start);
    all
}

/// A node on the cursor's path.
struct Level<'tree> {
    node: Node<'tree>,
    is_scope: bool,
    /// Comments and attributes before the current child.
    leading: Leading,
}

/// A symbol on the cursor's path, or the whole text.
#[derive(Clone, Default)]
struct Scope {
    symbol: Option<usize>,
    kind: Option<SymbolKind>,
    /// Prefix of its members' names.
    prefix: String,
    precise: Option<String>,
    last_member: Option<usize>,
    /// Range of the attributes of that member.
    last_attributes: Range<usize>,
}

struct Walker<'a, 'tree> {
    grammar: &'a Grammar,
    text: &'a str,
    levels: Vec<Level<'tree>>,
    scopes: Vec<Scope>,
    found: &'a mut WalkResult,
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

    /// Visits a node; returns the scope of its children if it is a symbol.
    fn visit(&mut self, node: Node<'tree>) -> Option<Scope> {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let rows = rows(node, self.text);
        let role = self.grammar.role(node);
        let Level { node: parent, leading, .. } = self.levels.last_mut()?;
        let parent = *parent;
        let site = Site { node, parent: Some(parent), text: self.text };
        let named = if let Role::Symbol(rule) = role { rule.name(&site) } else { None };
        let is_attribute = match role {
            Role::Symbol(rule) => named.is_none() && rule.or_attribute,
            Role::Attribute => true,
            _ => false,
        };
        match role {
            Role::Comment => leading.comment(rows, text),
            _ if is_attribute && self.grammar.is_doc(text) => leading.comment(rows, text),
            _ if is_attribute => leading.attribute(rows),
            _ => leading.other(rows),
        }
        match role {
            Role::Symbol(rule) => {
                let named = named?;
                self.declare(node, named.kind.unwrap_or(rule.kind), &named)
            }
            Role::Unread => {
                self.read_later((self.grammar.rules.find_unread)(node, parent)?);
                None
            }
            _ => None,
        }
    }

    /// Queues a part of the text to be parsed separately, unless it is in a function, where it is not a declaration.
    fn read_later(&mut self, range: tree_sitter::Range) {
        let scope = self.scopes.last().filter(|scope| !scope.kind.is_some_and(SymbolKind::has_locals));
        if let Some(scope) = scope {
            let scope = Scope { last_member: None, last_attributes: 0..0, ..scope.clone() };
            self.found.parts.push(EmbeddedPart { range, scope });
        }
    }

    fn declare(&mut self, node: Node<'tree>, kind: SymbolKind, named: &DeclaredName) -> Option<Scope> {
        let scope = self.scopes.last()?;
        let is_local = kind.is_value() && scope.kind.is_some_and(SymbolKind::has_locals);
        if is_local || self.scopes.len() > MAX_NESTING {
            return None;
        }
        let kind = match kind {
            SymbolKind::Function if named.owner.is_some() => SymbolKind::Method,
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
            last_attributes: 0..0,
        };
        let attributes = self.extent(node).node.start_byte()..node.start_byte();
        let also: Vec<Symbol> = named.also.iter().map(|name| symbol.called(name)).collect();
        let place = self.add(symbol, attributes.clone());
        for other in also {
            self.add(other, attributes.clone());
        }
        // A constant that was merged into a function: its members belong to the function.
        Some(Scope { symbol: Some(place), kind: Some(self.found.all[place].kind), ..inner })
    }

    fn symbol(&self, node: Node<'tree>, kind: SymbolKind, named: &DeclaredName) -> Symbol {
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

    /// Returns the lines from the start of the body to the end of the declaration, including an `end`, a second guard
    /// or a `deriving`.
    fn body_lines(&self, node: Node<'tree>, body: Node<'tree>) -> LineRange {
        let declaration = rows(node, self.text).lines();
        LineRange { start: rows(body, self.text).lines().start.min(declaration.end), end: declaration.end }
    }

    /// Returns the extent of the symbol at this node: with its wrappers, and the comments and attributes before it.
    fn extent(&self, mut node: Node<'tree>) -> Extent<'tree> {
        let mut leading = None;
        for level in self.levels.iter().rev() {
            leading = Some(&level.leading);
            let is_wrapped =
                matches!(self.grammar.role(level.node), Role::Wrapper) && self.holds_one_symbol(level.node);
            if !is_wrapped {
                break;
            }
            node = level.node;
        }
        leading.unwrap_or(&Leading::default()).extent(node, self.text)
    }

    fn holds_one_symbol(&self, wrapper: Node<'tree>) -> bool {
        let mut cursor = wrapper.walk();
        let may_be = |child: &Node<'_>| matches!(self.grammar.role(*child), Role::Symbol(_) | Role::Wrapper);
        wrapper.children(&mut cursor).filter(may_be).nth(1).is_none()
    }

    /// Adds a symbol, or merges it with the previous one; returns its position.
    fn add(&mut self, symbol: Symbol, attributes: Range<usize>) -> usize {
        let mut scope = self.scopes.last_mut();
        let (before, last_attributes) = match scope.as_deref_mut() {
            Some(scope) => (scope.last_member, std::mem::replace(&mut scope.last_attributes, attributes.clone())),
            None => (None, 0..0),
        };
        let text = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        if let Some((place, before)) = before.and_then(|place| Some((place, self.found.all.get_mut(place)?)))
            && before.continues_with(&symbol)
            && before.is_joined(self.grammar.rules, text(last_attributes), &symbol, text(attributes))
        {
            before.take_in(&symbol);
            return place;
        }
        if let Some(scope) = scope {
            scope.last_member = Some(self.found.all.len());
        }
        self.found.all.push(symbol);
        self.found.all.len() - 1
    }
}

impl Symbol {
    /// Returns the same symbol under another name.
    fn called(&self, name: &str) -> Symbol {
        let renamed = |qualified: &str| format!("{}{name}", &qualified[..qualified.len() - self.own_name().len()]);
        Symbol { name: renamed(&self.name), precise: self.precise.as_deref().map(renamed), ..self.clone() }
    }

    /// Returns whether the next symbol, if it has the same name, is a part of this one.
    fn is_joined(&self, rules: &Rules, attributes: &str, next: &Symbol, next_attributes: &str) -> bool {
        match rules.joins {
            Joins::Nothing => false,
            Joins::Attributes => (rules.is_part)(attributes, next_attributes, self.own_name()),
            Joins::Signatures => self.body.is_none() || self.is_accessor() && next.is_accessor(),
            Joins::Clauses => true,
        }
    }

    /// Returns whether it is a getter or setter: `get size()`.
    fn is_accessor(&self) -> bool {
        let before_name = self.signature.split('(').next().and_then(|head| head.rsplit_once(' '));
        before_name.is_some_and(|(words, _)| words.split(' ').any(|word| matches!(word, "get" | "set")))
    }

    /// Returns whether the next symbol is another part of this one: an equation, a clause, an overload.
    fn continues_with(&self, next: &Symbol) -> bool {
        let is_function = matches!(self.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro);
        // A type signature does not tell whether the function has parameters.
        let goes_on = self.kind == next.kind || self.body.is_none() && next.kind == SymbolKind::Constant;
        let begins = next.doc.map_or(next.lines, |doc| doc.with(next.lines)).start;
        let is_adjacent = begins <= self.lines.end + MAX_GAP;
        is_function && goes_on && is_adjacent && self.name == next.name && self.precise == next.precise
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
