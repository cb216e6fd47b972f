//! Runs programs, for the tasks and the benchmarks: command lines, temporary folders, servers, progress.

pub mod command;
pub mod page_section;
pub mod program;
pub mod report;
pub mod scratch;
pub mod served;
pub mod token_table;
pub mod tools;
