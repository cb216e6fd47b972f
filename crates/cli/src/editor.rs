//! Opens the user's editor, as git would, for long texts.

use std::io::Write;
use std::process::Command;

use app::{Error, Project};

/// The editor for the terminal interface.
pub(crate) struct UserEditor;

impl tui::TextEditor for UserEditor {
    fn edit_item(&self, project: &Project, title: &str, description: &str) -> Result<Option<(String, String)>, Error> {
        edit_item(project, title, description)
    }

    fn edit_text(&self, project: &Project, text: &str, about: &str) -> Result<Option<String>, Error> {
        edit_text(project, text, about)
    }
}

const HELP: &str = "\n# The first line is the title, the rest after a blank line the description (Markdown).\n\
    # Everything from the line below on is left out. An empty title changes nothing.\n";
const SCISSORS: &str = "# ------------------------ >8 ------------------------";

/// Edits a title and a description; `None` if the title is empty.
pub(crate) fn edit_item(project: &Project, title: &str, description: &str) -> Result<Option<(String, String)>, Error> {
    let before = format!("{title}\n\n{description}");
    let text = edit(project, &before, HELP)?;
    // Blanks around the text are lost on the way; a text that was left alone must not become a change.
    if text == before.trim() {
        return Ok(Some((title.to_owned(), description.to_owned())));
    }
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let title = first.trim();
    Ok((!title.is_empty()).then(|| (title.to_owned(), rest.trim().to_owned())))
}

/// Edits a new text; `None` if it is empty.
pub(crate) fn write(project: &Project, about: &str) -> Result<Option<String>, Error> {
    edit_text(project, "", about)
}

fn edit_text(project: &Project, before: &str, about: &str) -> Result<Option<String>, Error> {
    let help = format!("\n# {about}\n# Everything from the line below on is left out.\n");
    let text = edit(project, before, &help)?;
    if !before.is_empty() && text == before.trim() {
        return Ok(Some(before.to_owned()));
    }
    Ok((!text.trim().is_empty()).then(|| text.trim().to_owned()))
}

pub(crate) fn fill_in(project: &Project, form: &str, about: &str) -> Result<String, Error> {
    edit(project, form, &format!("\n# {about}\n# Everything from the line above on is left out.\n"))
}

fn edit(project: &Project, text: &str, help: &str) -> Result<String, Error> {
    let cannot = |error: std::io::Error| Error::unavailable(format!("cannot edit: {error}"));
    let mut file = tempfile::Builder::new().prefix("cairn-").suffix(".md").tempfile().map_err(cannot)?;
    write!(file, "{text}\n{SCISSORS}{help}").and_then(|()| file.flush()).map_err(cannot)?;
    let editor = project.editor()?;
    // As git does it: the command may contain arguments; the file is appended.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(file.path()).status();
    if !status.map_err(cannot)?.success() {
        return Err(Error::unavailable(format!("the editor `{editor}` failed; nothing was changed"))
            .hint("set another one with `git config --global core.editor` or `$EDITOR`"));
    }
    let written = crate::input::read_file(file.path())?;
    Ok(written.split(SCISSORS).next().unwrap_or_default().trim().to_owned())
}
