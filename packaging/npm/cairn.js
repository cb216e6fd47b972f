#!/usr/bin/env node
// Runs the program of the platform's package, with the same arguments, terminal and exit code.
"use strict";

const { spawnSync } = require("node:child_process");
const os = require("node:os");

const name = `@git-cairn/${process.platform}-${process.arch}`;

function program() {
  try {
    return require.resolve(`${name}/bin/cairn`);
  } catch {
    console.error(`error: the package ${name} is not installed`);
    console.error("hint: install git-cairn without `--omit=optional`; other platforms can build it with `cargo install git-cairn`");
    process.exit(1);
  }
}

// Ctrl+C reaches the program itself, which is in the same process group; this process must outlive it to pass on its exit code.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const result = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
if (result.error) {
  console.error(`error: cannot start ${name}: ${result.error.message}`);
  process.exit(1);
}
// A shell reports 128 plus the number of the signal.
process.exit(result.signal ? 128 + os.constants.signals[result.signal] : result.status);
