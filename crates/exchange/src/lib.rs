//! Brings the work of other trackers into the log, and takes it out again.
//!
//! A reader (`formats`, one file or folder each) turns a file into `ImportedItem`s; `plan` turns these into operations
//! on the one write path of `app`; `report` says what became of what. A writer turns items into another tool's format.
//! Nothing here opens a socket or changes a file that it imports.

mod catalog;
mod clean;
mod export;
mod formats;
mod import;
mod input;
mod item;
mod kept_records;
mod labels;
mod numbers;
mod other_files;
mod people;
mod plan;
mod report;
mod scope;
mod status;
mod template;
mod update;

pub use export::{ExportFormat, ExportOptions, ExportView, export, export_folder};
pub use formats::{DateOrder, ImportFormat, ReadOptions};
pub use import::{ImportOptions, Progress, import};
pub use item::ImportedDecision;
pub use report::{ImportView, LeftOutView, MappedView};
pub use template::read_template;
