//! Elixir, where every declaration is a call.

use tree_sitter::Node;

use crate::SymbolKind;
use crate::rules::{DeclaredName, Joins, Rules, Site, child_of_kind, made, made_or_attribute, one_line};

pub(super) const RULES: Rules = Rules {
    symbols: &[
        made("call", SymbolKind::Function, declaration),
        made_or_attribute("unary_operator", SymbolKind::Type, module_attribute),
    ],
    doc_attribute: "@doc",
    bodies: &["do_block"],
    joins: Joins::Clauses,
    ..Rules::NONE
};

fn declaration(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let arguments = child_of_kind(site.node, "arguments")?;
    let first = arguments.named_child(0)?;
    match site.field("target")? {
        "defmodule" => Some(DeclaredName::path(site.text_of(first)).being(SymbolKind::Module)),
        "defprotocol" => Some(DeclaredName::path(site.text_of(first)).being(SymbolKind::Interface)),
        "defimpl" => Some(implementation(site, arguments)),
        "def" | "defp" | "defdelegate" => head(site, first),
        "defmacro" | "defmacrop" | "defguard" | "defguardp" => Some(head(site, first)?.being(SymbolKind::Macro)),
        "defrecord" | "defrecordp" | "Record.defrecord" | "Record.defrecordp" => {
            let name = site.text_of(first).trim_start_matches(':');
            Some(DeclaredName::own(name).being(SymbolKind::Struct))
        }
        "test" => string(site, first).map(|text| DeclaredName::own(format!("test {text}"))),
        "describe" => {
            string(site, first).map(|text| DeclaredName::own(format!("describe {text}")).being(SymbolKind::Module))
        }
        _ => None,
    }
}

/// `@type t :: …` and `@callback f(a) :: b` declare; any other `@` says something about what follows.
fn module_attribute(site: &Site<'_, '_>) -> Option<DeclaredName> {
    let call = site.field_node("operand").filter(|operand| operand.kind() == "call")?;
    let kind = match site.text_of(call.child_by_field_name("target")?) {
        "type" | "typep" | "opaque" => SymbolKind::Type,
        "callback" | "macrocallback" => SymbolKind::Function,
        _ => return None,
    };
    let mut node = child_of_kind(call, "arguments")?.named_child(0)?;
    while let Some(left) = node.child_by_field_name("left") {
        node = left;
    }
    Some(head(site, node)?.being(kind))
}

/// Returns the name in `f(a, b) when a > b`.
fn head(site: &Site<'_, '_>, mut node: Node<'_>) -> Option<DeclaredName> {
    loop {
        match node.kind() {
            "identifier" => return Some(DeclaredName::own(site.text_of(node))),
            "call" => node = node.child_by_field_name("target")?,
            "binary_operator" => {
                let operator = site.text_of(node.child_by_field_name("operator")?);
                if operator != "when" {
                    return Some(DeclaredName::own(operator));
                }
                node = node.child_by_field_name("left")?;
            }
            _ => return None,
        }
    }
}

/// `defimpl P, for: T` declares functions of `T`; their precise name is `<T as P>`.
fn implementation(site: &Site<'_, '_>, arguments: Node<'_>) -> DeclaredName {
    let written = one_line(site.text_of(arguments));
    let named =
        DeclaredName { own: format!("defimpl {written}"), kind: Some(SymbolKind::Impl), ..DeclaredName::default() };
    let Some((protocol, subject)) = written.split_once(", for:") else {
        return named;
    };
    let subject = subject.trim().replace('.', "::");
    DeclaredName { precise: Some(format!("<{subject} as {protocol}>")), scope: Some(subject), ..named }
}

fn string<'text>(site: &Site<'_, 'text>, node: Node<'_>) -> Option<&'text str> {
    (node.kind() == "string").then(|| site.text_of(node).trim_matches('"'))
}
