//! The shells: the script that asks for completions, and how each of them wants the answer.
//!
//! A script passes the position of the cursor's word and all words. bash splits words at `:` and `=` and shows no
//! descriptions, so both are repaired here. PowerShell and elvish use the scripts of `clap_complete`.

use std::ffi::OsString;
use std::path::Path;

use clap_complete::Shell;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::Shells;
use unicode_width::UnicodeWidthStr;

use super::VARIABLE;
use super::values::DESCRIBED;
use crate::output;

const BASH: &str = r#"_cairn() {
    local one
    COMPREPLY=()
    while IFS= read -r one; do
        COMPREPLY+=("$one")
    done < <(CAIRN_COMPLETE=bash CAIRN_COMPLETE_TYPE=$COMP_TYPE CAIRN_COMPLETE_COLUMNS=$COLUMNS \
        cairn -- "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _cairn cairn 2>/dev/null || complete -F _cairn cairn
"#;

const ZSH: &str = r#"#compdef cairn
_cairn() {
    local -a found open closed
    local one
    found=("${(@f)$(CAIRN_COMPLETE=zsh cairn -- $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null)}")
    for one in $found; do
        if [[ $one == *[/=] || $one == *'\:' ]]; then open+=("$one"); else closed+=("$one"); fi
    done
    (( $#open )) && _describe -V 'value' open -S ''
    (( $#closed )) && _describe -V 'value' closed
}
if [ "$funcstack[1]" = "_cairn" ]; then _cairn "$@"; else compdef _cairn cairn; fi
"#;

const FISH: &str = "complete --keep-order --no-files --command cairn --arguments '(set -l words (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor); CAIRN_COMPLETE=fish cairn -- (math (count $words) - 1) $words 2>/dev/null)'
";

/// Returns the script to install in a shell.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => BASH.into(),
        Shell::Zsh => ZSH.into(),
        Shell::Fish => FISH.into(),
        other => {
            let mut bytes = Vec::new();
            if let Some(shell) = Shells::builtins().completer(&other.to_string()) {
                // Writing to memory does not fail.
                let _ = shell.write_registration(VARIABLE, "cairn", "cairn", "cairn", &mut bytes);
            }
            bytes
        }
    }
}

/// A shell with a script of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypedShell {
    Bash,
    Zsh,
    Fish,
}

/// A command line, up to and beyond the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) words: Vec<OsString>,
    /// The word with the cursor.
    pub(super) index: usize,
    /// The part of that word before the one that the shell replaces.
    kept: String,
}

impl Line {
    /// Returns a line with the cursor in its last word.
    pub(super) fn at_end(words: &[OsString]) -> Self {
        Self { words: words.to_vec(), index: words.len().saturating_sub(1), kept: String::new() }
    }

    /// Returns the word with the cursor.
    pub(super) fn current(&self) -> String {
        self.words.get(self.index).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl TypedShell {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "bash" => Some(Self::Bash),
            "zsh" => Some(Self::Zsh),
            "fish" => Some(Self::Fish),
            _ => None,
        }
    }

    /// Reads the arguments of a script: the position of the cursor's word, then all words.
    pub(super) fn line(self, typed: &[OsString]) -> Line {
        let Some((index, words)) = typed.split_first() else { return Line::at_end(&[]) };
        let index = index.to_str().and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut words = words.to_vec();
        // A shell may leave out an empty last word.
        words.resize(words.len().max(index + 1), OsString::new());
        let line = Line { words, index, kept: String::new() };
        if self == Self::Bash { joined(&line) } else { line }
    }

    pub(super) fn format(self, line: &Line, found: &[CompletionCandidate]) -> String {
        let formatted = |format: &dyn Fn(&str, Option<&str>) -> String| {
            found.iter().map(|one| format(&value(one), about(one).as_deref()) + "\n").collect()
        };
        match self {
            Self::Bash => bash(line, found, CandidateStyle::of_environment()),
            Self::Zsh => formatted(&|value, about| match about {
                Some(about) => format!("{}:{}", escaped(value, "\\:"), escaped(about, "\\")),
                None => escaped(value, "\\:"),
            }),
            Self::Fish => formatted(&|value, about| match about {
                Some(about) => format!("{value}\t{about}"),
                None => value.to_owned(),
            }),
        }
    }
}

/// How bash shows candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CandidateStyle {
    /// It lists them, if there are several, in this many columns.
    Listed { columns: usize },
    /// It inserts one after the other.
    Inserted,
}

impl CandidateStyle {
    fn of_environment() -> Self {
        // bash's `COMP_TYPE`: 37 is a percent sign, for menu completion.
        if std::env::var("CAIRN_COMPLETE_TYPE").is_ok_and(|kind| kind == "37") {
            return Self::Inserted;
        }
        let columns = std::env::var("CAIRN_COMPLETE_COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self::Listed { columns: columns.unwrap_or(80) }
    }
}

/// Formats candidates for bash. Several are listed with their descriptions: what they have in common, the only part that
/// bash inserts, ends before those.
fn bash(line: &Line, found: &[CompletionCandidate], listing: CandidateStyle) -> String {
    let values: Vec<String> = found
        .iter()
        .map(|one| {
            let value = value(one);
            quoted(value.strip_prefix(&line.kept).unwrap_or(&value))
        })
        .collect();
    let width = values.iter().map(|value| value.width()).max().unwrap_or(0);
    let describe = |value: &String, one: &CompletionCandidate| match (listing, described(one)) {
        (CandidateStyle::Listed { columns }, Some(about)) if found.len() > 1 => {
            let room = columns.saturating_sub(width + 6);
            format!("{value}{}  ({})\n", " ".repeat(width - value.width()), output::cut(&about, room))
        }
        _ => format!("{value}\n"),
    };
    values.iter().zip(found).map(|(value, one)| describe(value, one)).collect()
}

/// Quotes a value as a word of bash.
fn quoted(value: &str) -> String {
    escaped(value, " \t\\'\"$`&|;<>()*?[]{}!~#")
}

/// Returns the description of a value of the project; those of flags and commands would fill the screen.
fn described(one: &CompletionCandidate) -> Option<String> {
    let is_described = one.get_tag().is_some_and(|tag| tag.to_string() == DESCRIBED);
    about(one).filter(|_| is_described)
}

/// Prints the completions for a shell with a script of `clap_complete`.
pub(super) fn other(
    name: &str,
    typed: &[OsString],
    here: Option<&Path>,
    command: &dyn Fn(&[OsString]) -> clap::Command,
) -> String {
    let mut bytes = Vec::new();
    if let Some(shell) = Shells::builtins().completer(name) {
        let _ = shell.write_complete(&mut command(typed), typed.to_vec(), here, &mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Joins the pieces into which bash splits a word at `:` and `=`.
fn joined(line: &Line) -> Line {
    let is_break = |word: &str| !word.is_empty() && word.chars().all(|c| matches!(c, ':' | '='));
    let mut joined = Line { words: Vec::new(), index: 0, kept: String::new() };
    let mut glues = false;
    for (place, word) in line.words.iter().enumerate() {
        let text = word.to_string_lossy();
        let breaks = is_break(&text);
        let before = match joined.words.last_mut() {
            Some(last) if glues || breaks => {
                let before = last.to_string_lossy().into_owned();
                last.push(word);
                before
            }
            _ => {
                joined.words.push(word.clone());
                String::new()
            }
        };
        if place == line.index {
            joined.index = joined.words.len() - 1;
            // With the cursor directly behind a break, bash replaces nothing.
            joined.kept = if breaks { format!("{before}{text}") } else { before };
        }
        glues = breaks;
    }
    joined
}

fn value(one: &CompletionCandidate) -> String {
    one.get_value().to_string_lossy().into_owned()
}

fn about(one: &CompletionCandidate) -> Option<String> {
    let text = one.get_help()?.to_string();
    text.lines().next().filter(|line| !line.is_empty()).map(str::to_owned)
}

fn escaped(text: &str, special: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[track_caller]
    fn check_joined(typed: &str, expected: &str, kept: &str) {
        let line = TypedShell::Bash.line(&words(typed));
        assert_eq!(line.words.join(&OsString::from(" ")), expected, "{typed}");
        assert_eq!((line.current(), line.kept.as_str()), (expected.rsplit(' ').next().unwrap().to_owned(), kept));
    }

    #[test]
    fn pieces_of_bash_are_joined() {
        check_joined("2 cairn list --st", "cairn list --st", "");
        check_joined("4 cairn list --status = re", "cairn list --status=re", "--status=");
        check_joined("3 cairn list --status =", "cairn list --status=", "--status=");
        check_joined("6 cairn link 4 --touches a.rs : m", "cairn link 4 --touches a.rs:m", "a.rs:");
        check_joined("6 cairn read a.rs : T :: m", "cairn read a.rs:T::m", "a.rs:T::");
        check_joined("2 cairn show", "cairn show ", "");
    }

    #[test]
    fn bash_lists_several_values_with_their_titles() {
        let item = |number: &str, title: &'static str| {
            CompletionCandidate::new(number.to_owned()).help(Some(title.into())).tag(Some(DESCRIBED.into()))
        };
        let line = Line::at_end(&words("cairn show "));
        let both = [item("4", "Login fails on Safari"), item("12", "Crash (again) 登録")];
        let listing = CandidateStyle::Listed { columns: 24 };
        insta::assert_snapshot!(bash(&line, &both, listing), @r"
        4   (Login fails on …)
        12  (Crash (again) …)
        ");
        assert_eq!(bash(&line, &both[..1], listing), "4\n");
        assert_eq!(bash(&line, &both, CandidateStyle::Inserted), "4\n12\n");
    }

    #[test]
    fn bash_replaces_only_the_text_after_a_word_break() {
        let line = TypedShell::Bash.line(&words("4 cairn list --status = in"));
        let found = [CompletionCandidate::new("--status=in progress")];
        assert_eq!(bash(&line, &found, CandidateStyle::Inserted), "in\\ progress\n");
    }

    #[test]
    fn zsh_and_fish_take_descriptions() {
        let found = [CompletionCandidate::new("a:b").help(Some("c:\\d".into())), CompletionCandidate::new("e")];
        let line = Line::at_end(&words("cairn "));
        assert_eq!(TypedShell::Zsh.format(&line, &found), "a\\:b:c:\\\\d\ne\n");
        assert_eq!(TypedShell::Fish.format(&line, &found), "a:b\tc:\\d\ne\n");
    }
}
