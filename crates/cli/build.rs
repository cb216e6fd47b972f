//! Links release builds at a fixed address (docs/decisions/0016-non-pie-release.md), with equal functions merged
//! (docs/decisions/0026-release-optimization.md).

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CAIRN_PIE");
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") || !is("PROFILE", "release") {
        return;
    }
    // Other systems require position-independent executables or use another linker flag, and so do static builds.
    let is_static = var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if !is_static && !is("CAIRN_PIE", "1") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    if is_linked_with_lld() {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// Returns whether rustc uses the linker that it brings along. The traditional one of GNU refuses the option.
fn is_linked_with_lld() -> bool {
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let words = ["linker", "link-arg", "link-self"];
    let is_chosen = var("RUSTC_LINKER").is_ok() || words.iter().any(|word| flags.contains(word));
    is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("HOST", &var("TARGET").unwrap_or_default()) && !is_chosen
}

fn is(name: &str, value: &str) -> bool {
    var(name).is_ok_and(|given| given == value)
}
