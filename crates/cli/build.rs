//! Links release builds at a fixed address (`-no-pie`): see docs/decisions/0016-non-pie-release.md.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CAIRN_PIE");
    let is = |name: &str, value: &str| var(name).is_ok_and(|given| given == value);
    // Other systems require position-independent executables or use another linker flag, and so do static builds.
    let is_static = var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    let can_be_fixed = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static;
    if can_be_fixed && is("PROFILE", "release") && !is("CAIRN_PIE", "1") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
