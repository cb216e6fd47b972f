//! Tests of the built program: documentation, concurrency, kills, full disks, damage, hostile remotes and hostile
//! input.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop right there")]

mod agents;
mod annotate;
mod api;
mod availability;
mod carried;
mod clocks;
mod contract;
mod crowd;
mod damaged_index;
mod disk;
mod door;
mod editors;
mod foreign;
mod guide;
mod hooks;
mod hostile;
mod hostile_settings;
mod inbox;
mod input;
mod json_reference;
mod killed;
mod knowledge;
mod lazygit_settings;
mod pages;
mod replaced;
mod repositories;
mod served;
mod sharing;
mod support;
mod taiga;
mod taiga_bridge;
mod tls;
mod tokens;
mod workshop;
