//! Compares written parameters with those of a declaration: literally, or by their types alone.

/// The parameters written after a name: `(int, String)` of `add(int, String)`.
#[derive(Debug)]
pub(crate) struct Parameters {
    /// The whole list in parentheses, without white space.
    whole: String,
    each: Vec<String>,
}

impl Parameters {
    /// Parses the text after a name; `None` if it has no parameters.
    pub(crate) fn new(call: &str) -> Option<Self> {
        let whole: String = call.chars().filter(|c| !c.is_whitespace()).collect();
        (whole.len() > "()".len()).then(|| Self { whole, each: parameters(call) })
    }

    /// Returns whether a signature contains them literally, except for white space.
    pub(crate) fn are_in(&self, signature: &str) -> bool {
        signature.chars().filter(|c| !c.is_whitespace()).collect::<String>().contains(&self.whole)
    }

    /// Returns whether they are the types of a signature's parameters: `(int, int)` of `add(int a, int b)`.
    pub(crate) fn are_types_of(&self, signature: &str, own_name: &str) -> bool {
        let after_name = signature.find(own_name).map_or(signature, |at| &signature[at + own_name.len()..]);
        let declared = parameters(after_name);
        !self.each.is_empty()
            && declared.len() == self.each.len()
            && declared.iter().zip(&self.each).all(|(declared, written)| is_type_of(written, declared))
    }
}

/// Returns whether a parameter is declared with a type: `int a`, `a: int`, `a int`, or without a name.
fn is_type_of(written: &str, declared: &str) -> bool {
    let declared = declared.split('=').next().unwrap_or(declared).trim_end();
    let is_name = |rest: &str| {
        let name = rest.trim().trim_end_matches(['?', ':']).trim_end();
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    // A type and a name are separated by white space or punctuation: `int a`, `T&a`, `a: int`.
    let is_apart = |before: &str, after: &str| {
        let (last, first) = (before.chars().next_back(), after.chars().next());
        !(last.is_some_and(is_word) && first.is_some_and(is_word))
    };
    let is_before = |rest: &str| is_name(rest) && is_apart(written, rest);
    let is_behind = |rest: &str| is_name(rest) && is_apart(rest, written);
    declared == written
        || declared.strip_prefix(written).is_some_and(is_before)
        || declared.strip_suffix(written).is_some_and(is_behind)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the parameters in the first parentheses, split at top-level commas; single spaces stay where they separate
/// words.
fn parameters(text: &str) -> Vec<String> {
    let Some(from) = text.find('(') else { return Vec::new() };
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for c in text[from + 1..].chars() {
        match c {
            ')' if depth == 0 => break,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let tidied = parts.iter().map(|part| tidy(part)).filter(|part| !part.is_empty());
    tidied.collect()
}

/// Removes white space that does not separate words.
fn tidy(part: &str) -> String {
    let mut tidied = String::new();
    for word in part.split_whitespace() {
        let parts_words = tidied.chars().next_back().is_some_and(is_word) && word.chars().next().is_some_and(is_word);
        if parts_words {
            tidied.push(' ');
        }
        tidied.push_str(word);
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_types(written: &str, signature: &str) -> bool {
        Parameters::new(written).unwrap().are_types_of(signature, "add")
    }

    #[test]
    fn types_name_a_declaration_in_every_style() {
        assert!(are_types("(int,int)", "int add(int a, int b)"));
        assert!(are_types("(int, Map<String, List<T>>)", "add(int a, Map<String,List<T>> b)"));
        assert!(
            are_types("(x::T &, char*)", "void Add::add(x::T& one, char *two)"),
            "{:?}",
            parameters("(x::T &, char*)")
        );
        assert!(are_types("(number, string)", "add(a: number, b?: string)"));
        assert!(are_types("(&str, u8)", "pub fn add(text: &str, n: u8) -> u8"));
        assert!(are_types("(int, []byte)", "func add(a int, b []byte) error"));
        assert!(are_types("(int, int)", "int add(int, int)"));
        assert!(are_types("(int)", "int add(int a = 4)"));
    }

    #[test]
    fn other_types_or_another_number_of_them_do_not() {
        assert!(!are_types("(int,int)", "double add(double a, double b)"));
        assert!(!are_types("(int)", "int add(int a, int b)"));
        assert!(!are_types("(int)", "int add(uint a)"));
        assert!(!are_types("(int)", "int add(integer)"));
        assert!(!are_types("(int)", "add(List<int> a)"));
        assert!(!are_types("(T)", "add()"));
        assert!(Parameters::new("()").is_none() && Parameters::new("").is_none());
    }
}
