//! The text of a hook: a few lines of shell that run the user's own hook, then this program.

use std::path::Path;

use store::git::HOOK_MARK;

use super::Hook;

/// Returns the script of a hook, for the program at this path. If it is missing there, the one on the `PATH` is used;
/// if there is none, the script does nothing.
pub(super) fn script(hook: Hook, program: &Path) -> String {
    let name = hook.name();
    let program = quoted(&program.to_string_lossy());
    let find = format!(
        "cairn={program}\n\
         [ -x \"$cairn\" ] || cairn=$(command -v cairn 2>/dev/null) || exit $status\n"
    );
    let work = match hook {
        Hook::PostRewrite => format!(
            "list=$(cat)\n\
             status=0\n\
             if [ -x \"$own\" ]; then printf '%s\\n' \"$list\" | \"$own\" \"$@\"; status=$?; fi\n\
             {find}\
             printf '%s\\n' \"$list\" | \"$cairn\" hooks run {name} \"$@\"\n"
        ),
        // The user's hook can still reject a commit.
        Hook::PrepareCommitMsg => format!(
            "status=0\n\
             if [ -x \"$own\" ]; then \"$own\" \"$@\" || exit $?; fi\n\
             {find}\
             \"$cairn\" hooks run {name} \"$@\" </dev/null\n"
        ),
        Hook::PostCommit | Hook::PostMerge => format!(
            "status=0\n\
             if [ -x \"$own\" ]; then \"$own\" \"$@\"; status=$?; fi\n\
             {find}\
             \"$cairn\" hooks run {name} \"$@\" </dev/null\n"
        ),
    };
    format!(
        "#!/bin/sh\n\
         {HOOK_MARK}; `cairn hooks remove` removes it.\n\
         # The hook that was here before, if any, is beside it and runs first.\n\
         own=\"$0.before-cairn\"\n\
         {work}\
         exit $status\n"
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_can_break_out_of_its_quotes() {
        let text = script(Hook::PostCommit, Path::new("/it's $(here)/cairn"));
        insta::assert_snapshot!(testkit::lines_with(&text, "cairn="), @r#"
        cairn='/it'\''s $(here)/cairn'
        [ -x "$cairn" ] || cairn=$(command -v cairn 2>/dev/null) || exit $status
        "#);
    }
}
