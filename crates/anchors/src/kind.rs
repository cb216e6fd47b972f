//! The kind of a symbol, with one vocabulary for all languages.

use std::fmt;

/// The kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the word it stands for")]
pub enum SymbolKind {
    Class,
    Constant,
    Enum,
    Function,
    /// Adds members to a type declared elsewhere: Rust `impl`, Swift `extension`, Haskell `instance`.
    Impl,
    Interface,
    Macro,
    /// A function that belongs to a type.
    Method,
    /// Also a namespace.
    Module,
    /// A singleton that is declared like a class.
    Object,
    /// A variable or a pair of accessors that belongs to a type.
    Property,
    Record,
    Struct,
    Trait,
    Type,
    Union,
    Variable,
}

impl SymbolKind {
    /// All kinds; the encoding of symbols stores a position in it.
    pub(crate) const ALL: [Self; 17] = [
        Self::Class,
        Self::Constant,
        Self::Enum,
        Self::Function,
        Self::Impl,
        Self::Interface,
        Self::Macro,
        Self::Method,
        Self::Module,
        Self::Object,
        Self::Property,
        Self::Record,
        Self::Struct,
        Self::Trait,
        Self::Type,
        Self::Union,
        Self::Variable,
    ];

    /// Returns the name of the kind, in lower case.
    pub fn word(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Constant => "constant",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Impl => "impl",
            Self::Interface => "interface",
            Self::Macro => "macro",
            Self::Method => "method",
            Self::Module => "module",
            Self::Object => "object",
            Self::Property => "property",
            Self::Record => "record",
            Self::Struct => "struct",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Union => "union",
            Self::Variable => "variable",
        }
    }

    /// Returns whether a function inside it is a method.
    pub(crate) fn has_members(self) -> bool {
        use SymbolKind::{Class, Enum, Impl, Interface, Object, Record, Struct, Trait, Type, Union};
        matches!(self, Class | Enum | Impl | Interface | Object | Record | Struct | Trait | Type | Union)
    }

    /// Returns whether declarations inside it are local.
    pub(crate) fn has_locals(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro | Self::Property)
    }

    /// Returns whether it holds a value; inside a function that is a local variable and not a symbol.
    pub fn is_value(self) -> bool {
        matches!(self, Self::Constant | Self::Variable | Self::Property)
    }

    /// Returns the kind that it has inside a symbol of kind `outer`.
    pub(crate) fn inside(self, outer: Option<SymbolKind>) -> Self {
        match self {
            Self::Function if outer.is_some_and(SymbolKind::has_members) => Self::Method,
            Self::Variable if outer.is_some_and(SymbolKind::has_members) => Self::Property,
            other => other,
        }
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
