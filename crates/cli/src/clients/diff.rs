//! A unified diff of two texts, for changes in a single place.

use std::fmt::Write as _;
use std::path::Path;

const CONTEXT: usize = 3;

/// Returns the diff; empty if the texts are equal.
pub(crate) fn unified(path: &Path, before: Option<&str>, after: &str) -> String {
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    if before.is_some() && old == new {
        return String::new();
    }
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let first = head.saturating_sub(CONTEXT);
    let n_after = tail.min(CONTEXT);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);

    let mut text = match before {
        Some(_) => format!("--- {}\n", path.display()),
        None => "--- /dev/null\n".to_owned(),
    };
    let _ = writeln!(text, "+++ {}", path.display());
    let range = |length: usize| match length {
        0 => "0,0".to_owned(),
        1 => format!("{}", first + 1),
        _ => format!("{},{length}", first + 1),
    };
    let _ = writeln!(text, "@@ -{} +{} @@", range(old_end + n_after - first), range(new_end + n_after - first));
    push(&mut text, ' ', &old[first..head]);
    push(&mut text, '-', &old[head..old_end]);
    push(&mut text, '+', &new[head..new_end]);
    push(&mut text, ' ', &old[old_end..old_end + n_after]);
    text
}

fn push(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        let _ = write!(text, "{sign}{line}");
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, after: &str, expected: &str) {
        assert_eq!(unified(Path::new("f"), before, after), expected);
    }

    #[test]
    fn differences_are_what_patch_reads() {
        check(Some("a\n"), "a\n", "");
        check(None, "a\nb\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        check(
            Some("1\n2\n3\n4\n5\n6\n7\n8\n"),
            "1\n2\n3\n4\nx\n6\n7\n8\n",
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
        );
        check(
            Some("{}"),
            "{\n}",
            "--- f\n+++ f\n@@ -1 +1,2 @@\n-{}\n\\ No newline at end of file\n+{\n+}\n\\ No newline at end of file\n",
        );
        check(Some("a\nb\n"), "a\n", "--- f\n+++ f\n@@ -1,2 +1 @@\n a\n-b\n");
        check(Some(""), "a\n", "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
    }
}
