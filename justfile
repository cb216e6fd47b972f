# Short names for commands of cargo and `cargo xtask`; nothing needs `just`.

# List the recipes.
_default:
    @"{{ just_executable() }}" --list --unsorted

# All checks and tests, as CI runs them; `just ci --only tidy` runs one step.
ci *arguments:
    cargo xtask ci {{ arguments }}

# All tests, or those whose name contains the given words.
test *arguments:
    cargo test --workspace --locked {{ arguments }}

# Accept changed output into inline snapshots, recorded files and guide pages; review the diff.
accept *arguments:
    cargo insta test --workspace --accept --unreferenced ignore {{ arguments }}

# Format the code.
fmt:
    cargo fmt --all

# Clippy, with warnings as errors.
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# The project rules that no compiler checks.
tidy:
    cargo xtask tidy

# The API documentation of our own crates.
docs:
    cargo doc --no-deps --workspace --locked

# The official MCP clients against the server.
clients:
    cargo xtask clients

# Generated requests against the web API.
schemathesis *arguments:
    cargo xtask schemathesis {{ arguments }}

# Both commands of the README on a bare Debian, in more than an hour; needs root and `debootstrap`.
bare:
    tests/bare/run --full

# Browser tests of the board; screenshots are in target/browser.
browser *arguments:
    cargo xtask browser {{ arguments }}

# Run the benchmarks.
bench *arguments:
    cargo xtask bench {{ arguments }}

# Measure other trackers, annotation and review tools beside Cairn; `--only Backlog.md` measures one, `--write` updates the page.
bench-peers *arguments:
    cargo xtask bench peers {{ arguments }}

# Count the instructions of commands, and compare with the record; `--write` replaces it.
instructions *arguments:
    cargo xtask bench instructions {{ arguments }}

# Compare blame and the history of lines with git's own, over five thousand commits.
soak-history:
    CAIRN_FULL_HISTORY=1 cargo test -p cairn-store --locked --test it code_history -- --nocapture

# Many clients write to a server for half a minute, and twenty servers are killed during writes.
soak-crowd:
    CAIRN_FULL_CROWD=1 cargo test -p git-cairn --locked --test mcp crowd -- --nocapture

# Annotate 300 functions of published code at old commits, and check the results for them now.
soak-truth *arguments:
    cargo xtask truth {{ arguments }}

# Fail every system call of a scenario, check linearizability and rebuild the index under load, for the given number of minutes; kill
# servers of one database for a minute, and its primary once.
soak minutes="30":
    CAIRN_SOAK_MINUTES={{ minutes }} cargo test -p git-cairn --locked --test faults -- --nocapture

# Write the generated reference pages.
generate:
    cargo xtask generate

# Build every package of a release into target/dist, and install and run each.
dist *arguments:
    python3 packaging/dist.py {{ arguments }}

# Build the documentation as a site into target/book; needs `cargo install mdbook`.
book:
    mdbook build docs
