//! The built program in rough weather: crowds, kills, full disks, damage, hostile remotes and hostile input.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod contract;
mod crowd;
mod damaged_index;
mod disk;
mod foreign;
mod hostile;
mod input;
mod killed;
mod repositories;
mod sharing;
mod support;
