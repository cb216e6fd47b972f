//! Symbols as bytes, for a cache: numbers as LEB128, texts with their length in front.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{Language, LineRange, Symbol, SymbolKind, Symbols};

/// Changes whenever the code of this crate does; see `build.rs`.
const SOURCE_HASH: &str = env!("ANCHORS_SOURCE_HASH");

impl Language {
    /// Returns a number that changes with the code of this crate and with the grammar. Encoded symbols of another
    /// version are out of date.
    pub fn symbols_version(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        SOURCE_HASH.hash(&mut hasher);
        if let Some(grammar) = self.grammar() {
            (grammar.language.node_kind_count(), grammar.language.parse_state_count()).hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Symbols {
    /// Encodes the symbols.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        out.number(usize::from(self.broken));
        out.number(self.n_unread);
        out.number(self.all.len());
        for symbol in &self.all {
            out.symbol(symbol);
        }
        out.0
    }

    /// Decodes symbols; `None` if the bytes are not a valid encoding.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut from = Decoder(bytes);
        let (broken, n_unread, n_symbols) = (from.number()? != 0, from.number()?, from.number()?);
        // A symbol takes more than eight bytes.
        let mut all = Vec::with_capacity(n_symbols.min(bytes.len() / 8));
        for _ in 0..n_symbols {
            all.push(from.symbol(n_symbols)?);
        }
        from.0.is_empty().then_some(Self { all, broken, n_unread })
    }
}

#[derive(Default)]
struct Encoder(Vec<u8>);

impl Encoder {
    fn symbol(&mut self, symbol: &Symbol) {
        self.number(SymbolKind::ALL.iter().position(|kind| *kind == symbol.kind).unwrap_or(0));
        self.text(&symbol.name);
        self.number(symbol.own);
        self.optional(symbol.precise.as_deref(), Self::text);
        self.text(&symbol.signature);
        self.lines(symbol.lines);
        self.optional(symbol.body, Self::lines);
        self.optional(symbol.doc, Self::lines);
        self.optional(symbol.parent, Self::number);
    }

    fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn lines(&mut self, lines: LineRange) {
        self.number(lines.start);
        self.number(lines.end - lines.start);
    }

    fn optional<T>(&mut self, value: Option<T>, write: impl Fn(&mut Self, T)) {
        self.number(usize::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
}

struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn symbol(&mut self, n_symbols: usize) -> Option<Symbol> {
        let kind = *SymbolKind::ALL.get(self.number()?)?;
        let name = self.text()?.to_owned();
        let own = self.number().filter(|own| name.is_char_boundary(*own))?;
        let symbol = Symbol {
            kind,
            name,
            own,
            precise: self.optional(Self::text)?.map(str::to_owned),
            signature: self.text()?.to_owned(),
            lines: self.lines()?,
            body: self.optional(Self::lines)?,
            doc: self.optional(Self::lines)?,
            parent: self.optional(Self::number)?,
        };
        symbol.parent.is_none_or(|parent| parent < n_symbols).then_some(symbol)
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'a str> {
        let n_bytes = self.number()?;
        let (text, rest) = self.0.split_at_checked(n_bytes)?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }

    fn lines(&mut self) -> Option<LineRange> {
        let start = self.number()?;
        Some(LineRange { start, end: start.checked_add(self.number()?)? })
    }

    /// Reads a value that may be absent.
    #[expect(clippy::option_option, reason = "the outer one is an invalid encoding, the inner one an absent value")]
    fn optional<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Symbols {
        let text =
            "/// Doc.\nimpl Display for Größe {\n    fn fmt(&self) {}\n}\nmod a {\n    const B: u8 = 1;\n}\nfn c("
                .to_owned();
        crate::symbols(Language::named("rust").unwrap(), &text).unwrap()
    }

    #[test]
    fn decoded_symbols_are_equal() {
        let symbols = sample();
        assert!(symbols.is_broken() && symbols.all().iter().any(|symbol| symbol.precise.is_some()), "{symbols:?}");
        assert_eq!(Symbols::from_bytes(&symbols.to_bytes()), Some(symbols));
        assert_eq!(Symbols::from_bytes(&Symbols::default().to_bytes()), Some(Symbols::default()));
    }

    #[test]
    fn truncated_or_extended_bytes_are_invalid() {
        let bytes = sample().to_bytes();
        assert!((0..bytes.len()).all(|end| Symbols::from_bytes(&bytes[..end]).is_none()));
        assert_eq!(Symbols::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(Symbols::from_bytes(&[0xff; 32]), None);
    }

    #[test]
    fn version_depends_on_the_grammar() {
        let version = |name| Language::named(name).unwrap().symbols_version();
        assert_eq!(version("rust"), version("rust"));
        assert_ne!(version("rust"), version("go"));
    }
}
