//! `cairn attach`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::Style;
use app::verb::NewAttachment;
use app::view::{AttachmentView, ItemView};
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use super::print_changed;
use crate::output::{Column, FAINT, GOOD, STRONG, Table, Ui, safe};

/// Attach files to an item; list, save and remove them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn attach 42 screenshot.png build.log
  cairn attach 42
  cairn attach 42 --save screenshot.png
  cairn attach 42 --save screenshot.png --to /tmp/shot.png
  cairn attach 42 --remove build.log")]
pub(crate) struct Arguments {
    /// The item.
    #[arg(value_name = "ID")]
    item: String,
    /// The files, at most 10 MiB each; without any, the attachments are listed.
    #[arg(value_name = "FILE", conflicts_with_all = ["save", "remove"])]
    files: Vec<PathBuf>,
    /// Save this attachment, by its name or id.
    #[arg(long, value_name = "NAME", conflicts_with = "remove")]
    save: Option<String>,
    /// Where to save it: a file, a folder, or `-` for standard output.
    #[arg(long, value_name = "PATH", requires = "save", default_value = ".")]
    to: PathBuf,
    /// Remove this attachment; its content stays in the history.
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,
    /// Fail if the item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let item = ItemRef::parse(&arguments.item);
    let if_unchanged = arguments.if_unchanged.as_deref();
    if let Some(name) = &arguments.save {
        save(ui, &project, &item, name, &arguments.to)?;
    } else if let Some(name) = &arguments.remove {
        print_changed(ui, "updated", &[project.detach(&item, name, if_unchanged)?]);
    } else if arguments.files.is_empty() {
        list(ui, &project.show(&item)?);
    } else {
        let files: Vec<NewAttachment> =
            arguments.files.iter().map(|path| NewAttachment::read(path)).collect::<Result<_, Error>>()?;
        print_changed(ui, "attached to", &[project.attach(&item, &files, if_unchanged)?]);
    }
    Ok(ExitCode::SUCCESS)
}

fn save(ui: &Ui, project: &Project, item: &ItemRef, name: &str, to: &Path) -> Result<(), Error> {
    let (attachment, content) = project.attachment(item, name)?;
    if to == Path::new("-") {
        let written = std::io::stdout().write_all(&content);
        return written.map_err(|error| Error::unavailable(format!("cannot write: {error}")));
    }
    let path = if to.is_dir() { to.join(&attachment.name) } else { to.to_owned() };
    write_new(&path, &content)?;
    if ui.json {
        ui.data(&attachment);
    } else {
        ui.print(&format!("{GOOD}saved{GOOD:#} {}\n", safe(&path.to_string_lossy())));
    }
    Ok(())
}

// An existing file is never replaced: the name comes from another user.
fn write_new(path: &Path, content: &[u8]) -> Result<(), Error> {
    let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| file.write_all(content));
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Error::conflict(format!("`{}` exists already", path.display())).hint("name another file with `--to`")
        }
        _ => Error::unavailable(format!("cannot write `{}`: {error}", path.display())),
    })
}

fn list(ui: &Ui, item: &ItemView) {
    if ui.json {
        ui.data(&item.attachments);
        return;
    }
    if item.attachments.is_empty() {
        ui.note("no attachments; `cairn attach ID FILE` adds one");
        return;
    }
    let columns = [Column::main("NAME"), Column::fixed("TYPE"), Column::number("SIZE"), Column::fixed("ID")];
    let mut table = Table::new(&columns);
    for AttachmentView { id, name, media_type, size } in &item.attachments {
        let plain = |text: String| (text, Style::new());
        table.row(vec![(name.clone(), STRONG), plain(media_type.clone()), plain(in_words(*size)), (id.clone(), FAINT)]);
    }
    ui.print(&table.render());
}

/// Returns a size for people: `812 B`, `3.4 KiB`.
fn in_words(size: u64) -> String {
    const KIB: u64 = 1024;
    match size {
        0..KIB => format!("{size} B"),
        KIB..1_048_576 => format!("{}.{} KiB", size / KIB, size % KIB * 10 / KIB),
        _ => format!("{}.{} MiB", size / (KIB * KIB), size % (KIB * KIB) * 10 / (KIB * KIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_words() {
        assert_eq!(
            [0, 1023, 1024, 3 * 1024 + 512, 10 * 1_048_576].map(in_words),
            ["0 B", "1023 B", "1.0 KiB", "3.5 KiB", "10.0 MiB"]
        );
    }
}
