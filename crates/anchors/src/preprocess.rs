//! C and C++ without preprocessor constructs that the parser cannot read: macros that stand for a keyword, and branches
//! of `#if` whose brackets do not balance, are replaced by spaces. Positions do not change.

/// Returns variants of the text that may be easier to parse, the least changed first.
pub(crate) fn readable(text: &str) -> [String; 2] {
    let without_macros = each_line(text, |line| Some(without_macro(line)));
    let without_branches = without_other_branches(&without_macros);
    [without_macros, without_branches]
}

fn each_line(text: &str, mut change: impl FnMut(&str) -> Option<String>) -> String {
    let mut changed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        match change(content) {
            Some(content) => changed.push_str(&content),
            None => changed.push_str(&blank(content)),
        }
        changed.push_str(&line[content.len()..]);
    }
    changed
}

/// Replaces every byte, so that positions do not change.
fn blank(text: &str) -> String {
    " ".repeat(text.len())
}

/// Blanks a macro that is alone on its line, such as `BEGIN_NAMESPACE` or `NON_NULL(1)`, or that precedes the type of a
/// function, such as `LUA_API`.
fn without_macro(line: &str) -> String {
    // The first line of a file may begin with a byte order mark.
    let start = line.len() - line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    let word = macro_name(&line[start..]);
    let rest = &line[start + word.len()..];
    let arguments = call(rest);
    let is_alone = rest[arguments..].trim().is_empty();
    if !is_macro(word) || !(is_alone || arguments == 0 && begins_declaration(rest)) {
        return line.to_owned();
    }
    let end = start + word.len() + arguments;
    format!("{}{}", blank(&line[..end]), &line[end..])
}

fn macro_name(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// Returns whether a word looks like a macro: capitals and an underscore.
fn is_macro(word: &str) -> bool {
    word.contains('_')
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && !word.contains(|c: char| c.is_ascii_lowercase())
}

/// Returns the length of the macro arguments after a name; 0 if there are none.
fn call(text: &str) -> usize {
    let open = text.len() - text.trim_start().len();
    if !text[open..].starts_with('(') {
        return 0;
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().skip(open) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    0
}

/// Returns whether a type and a function name follow: at least two words before a parenthesis.
fn begins_declaration(rest: &str) -> bool {
    let Some((before, _)) = rest.split_once('(') else { return false };
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '*' | '&' | ':'));
    let mut words = before.split_whitespace();
    words.clone().count() >= 2 && words.all(is_word)
}

/// Keeps the first branch of each `#if`; blanks the others and the directives.
fn without_other_branches(text: &str) -> String {
    // For each open `#if`, whether the scan is in its first branch.
    let mut open: Vec<bool> = Vec::new();
    each_line(text, |line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let is = |word: &str| directive.is_some_and(|directive| directive.starts_with(word));
        if is("if") {
            open.push(true);
        } else if is("el") {
            open.last_mut().map(|first| *first = false)?;
        } else if is("endif") {
            open.pop();
        } else if open.iter().all(|first| *first) {
            return Some(line.to_owned());
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_blanked_and_nothing_moves() {
        for (line, expected) in [
            ("BEGIN_NAMESPACE", "               "),
            ("  NON_NULL(1, (2))", "                  "),
            ("LUA_API int lua_type (int x) {", "        int lua_type (int x) {"),
            ("MAX_SIZE = 3;", "MAX_SIZE = 3;"),
            ("CALL_ME(a, b);", "CALL_ME(a, b);"),
            ("FILE open(int a) {", "FILE open(int a) {"),
            ("A_TYPE run(int a) {", "A_TYPE run(int a) {"),
        ] {
            assert_eq!(without_macro(line), expected);
        }
    }

    #[test]
    fn first_branch_stays() {
        let text = "#ifdef A\nint f(int a) {\n#else\nint f(char a) {\n#endif\n  return 1;\n}\n";
        let expected = "        \nint f(int a) {\n     \n               \n      \n  return 1;\n}\n";
        assert_eq!(without_other_branches(text), expected);
    }
}
