//! Prints the store's notices to stderr: warnings, and a progress bar during a long index build.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use app::{Listener, Notice, RecoveredLog, RefRecovery};

use super::bar::Bar;
use super::{NOTABLE, note, safe};

/// Maximum number of warnings of one kind that are printed individually.
const MAX_WARNINGS: usize = 10;

/// Whether this process has written a commit to the log.
static HAS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Returns whether this process has written a commit to the log.
pub(crate) fn has_written() -> bool {
    HAS_WRITTEN.load(Ordering::SeqCst)
}

/// Returns a listener that prints notices to stderr.
pub(crate) fn listener() -> Listener {
    let printer = Mutex::new(NoticePrinter::default());
    Arc::new(move |notice| {
        if let Ok(mut printer) = printer.lock() {
            printer.print(notice);
        }
    })
}

#[derive(Default)]
struct NoticePrinter {
    bar: Bar,
    n_warnings: usize,
}

impl NoticePrinter {
    fn print(&mut self, notice: Notice) {
        match notice {
            Notice::Indexing { done, total } => self.bar.update("building the index", done, total),
            Notice::Indexed { .. } => self.bar.finish(),
            // The command itself reports what it wrote.
            Notice::Committed { .. } => HAS_WRITTEN.store(true, Ordering::SeqCst),
            Notice::Skipped(found) => self.warn(&format!("{}: {}", found.place, safe(&found.text))),
            Notice::IndexDamaged { path, why } => {
                print_warning(&format!(
                    "the index `{}` was damaged ({why}) and is rebuilt; nothing is lost",
                    path.display()
                ));
            }
            Notice::IndexInMemory { path } => print_warning(&format!(
                "`{}` cannot be written, so the index is built in memory each time",
                path.parent().unwrap_or(&path).display()
            )),
            Notice::LostWrites(found) => {
                if let Some(text) = recovered(&found) {
                    print_warning(&text);
                }
            }
            Notice::LostWritesRemain { why } => print_warning(&format!(
                "the machine stopped after a write, and what was lost cannot be restored now ({why}); the next command tries again"
            )),
            Notice::LackedSharedCommits { to } => print_warning(&format!(
                "the machine stopped before the last commits of the shared log were on disk here; the log is back at `{to}`, \
                 and the server fetches the rest from the database"
            )),
            Notice::WriterDied { pid, removed } => print_warning(&died(pid, &removed)),
            Notice::WaitingForWriter { pid } => print_warning(&match pid {
                Some(pid) => format!("waiting for process {pid}, which is writing"),
                None => "waiting for another process, which is writing".to_owned(),
            }),
            Notice::IndexBehind { why } => {
                print_warning(&format!(
                    "the change is safe in git, but the index was not updated ({why}); the next command will"
                ));
            }
        }
    }

    fn warn(&mut self, text: &str) {
        self.n_warnings += 1;
        if self.n_warnings <= MAX_WARNINGS {
            print_warning(text);
        } else if self.n_warnings == MAX_WARNINGS + 1 {
            print_warning("more warnings of this kind were left out; `cairn doctor` shows all");
        }
    }
}

/// Describes a recovery after the machine stopped; nothing if no write was lost.
fn recovered(found: &RecoveredLog) -> Option<String> {
    match found.reference {
        RefRecovery::Foreign { last } => Some(format!(
            "the machine stopped after a write, and something else has moved `refs/cairn/work` since; commit `{last}` has \
             the last write and is not part of the log"
        )),
        RefRecovery::Kept if found.n_restored == 0 => None,
        RefRecovery::Kept | RefRecovery::Moved => {
            Some("the machine stopped after a write; the log was restored, nothing is lost".to_owned())
        }
    }
}

fn died(pid: u32, removed: &[PathBuf]) -> String {
    let files: Vec<String> = removed.iter().map(|path| format!("`{}`", path.display())).collect();
    if files.is_empty() {
        return format!("process {pid} was killed while it was writing; it left no lock");
    }
    format!("process {pid} was killed while it was writing; its lock {} was removed", files.join(", "))
}

fn print_warning(text: &str) {
    note(&format!("{NOTABLE}warning:{NOTABLE:#} {text}"));
}
