//! What a symbol is, in one word that is the same in every language.

use std::fmt;

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the word it stands for")]
pub enum Kind {
    Class,
    Constant,
    Enum,
    Function,
    /// What adds members to a type declared elsewhere: Rust `impl`, Swift `extension`, Haskell `instance`.
    Impl,
    Interface,
    Macro,
    /// A function that belongs to a type.
    Method,
    /// Also a namespace.
    Module,
    /// A single instance that is declared like a class.
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

impl Kind {
    /// Returns the word for it, in lower case.
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

    /// Whether a function in it is a method.
    pub(crate) fn has_members(self) -> bool {
        use Kind::{Class, Enum, Impl, Interface, Object, Record, Struct, Trait, Type, Union};
        matches!(self, Class | Enum | Impl | Interface | Object | Record | Struct | Trait | Type | Union)
    }

    /// Whether what is declared in it is nobody's business outside.
    pub(crate) fn has_locals(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro | Self::Property)
    }

    /// Whether it holds a value: inside a function such a thing is a local variable and no symbol.
    pub fn is_value(self) -> bool {
        matches!(self, Self::Constant | Self::Variable | Self::Property)
    }

    /// Returns what it is called inside a symbol of kind `outer`.
    pub(crate) fn inside(self, outer: Option<Kind>) -> Self {
        match self {
            Self::Function if outer.is_some_and(Kind::has_members) => Self::Method,
            Self::Variable if outer.is_some_and(Kind::has_members) => Self::Property,
            other => other,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
