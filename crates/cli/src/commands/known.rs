//! Names in arguments must exist, unless the caller insists with `--create`.

use annotations::{Annotated, TouchedPlace};
use app::view::ItemView;
use app::{ChangeSet, Error, ErrorKind, NewItem, Project, UnknownNames};
use clap::Args;

use crate::output::{note, safe};

/// Whether unknown names are accepted.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct UnknownNameFlags {
    /// Accept unknown names: add the person, create the milestone or board, declare the label.
    #[arg(long)]
    create: bool,
}

impl UnknownNameFlags {
    /// Checks the names of a new item.
    pub(super) fn check_new(self, project: &mut Project, new: &mut NewItem) -> Result<(), Error> {
        print_created(&project.check_new_names(new, self.unknown_names()).map_err(with_hint)?);
        Ok(())
    }

    /// Checks the names of changes.
    pub(super) fn check_changes(self, project: &mut Project, set: &mut ChangeSet) -> Result<(), Error> {
        print_created(&project.check_changed_names(set, self.unknown_names()).map_err(with_hint)?);
        Ok(())
    }

    fn unknown_names(self) -> UnknownNames {
        if self.create { UnknownNames::Create } else { UnknownNames::Refuse }
    }
}

/// Says how to insist.
fn with_hint(error: Error) -> Error {
    const FLAG: &str = "`--create` accepts a new name";
    if error.kind != ErrorKind::NotFound {
        return error;
    }
    let hint = error.hint.as_ref().map_or_else(|| FLAG.to_owned(), |hint| format!("{hint} ({FLAG})"));
    error.hint(hint)
}

fn print_created(items: &[ItemView]) {
    for item in items {
        note(&format!("created {} #{}: {}", item.kind, item.number, safe(&item.title)));
    }
}

/// Checks the code of a link. A file that is not there may still be written, so it is only mentioned.
pub(super) fn check_touch(project: &Project, touch: &str) -> Result<(), Error> {
    match project.annotations().check_touch(touch) {
        Ok(TouchedPlace::Known) => Ok(()),
        Ok(TouchedPlace::NoFile) => {
            let path = touch.split_once(':').map_or(touch, |(path, _)| path);
            note(&format!("`{}` is not a file of this repository yet", safe(path)));
            Ok(())
        }
        Err(error) if error.kind == ErrorKind::NotFound => {
            let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!("{hint} "));
            Err(error.hint(format!("{hint}(`--create` links the name anyway)")))
        }
        Err(error) => Err(error),
    }
}
