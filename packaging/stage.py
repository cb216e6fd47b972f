"""The files that every package contains, made once from the built program: manual pages, completions, licenses.

Nothing here depends on the time, the user or the folder: the same commit gives the same bytes.
"""

import gzip
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Where each shell looks for the completions of `cairn`, below `share`.
COMPLETIONS = {
    "bash": "bash-completion/completions/cairn",
    "zsh": "zsh/site-functions/_cairn",
    "fish": "fish/vendor_completions.d/cairn.fish",
}

DOCUMENTS = ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"]


def version():
    """Returns the version of the workspace, which all packages share."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    return manifest["workspace"]["package"]["version"]


def source_date_epoch():
    """Returns the time of the last commit: the time of every file in a package."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def run(*words, **options):
    """Runs a program, and returns its output; its errors go to the terminal."""
    words = [str(word) for word in words]
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def fill(prefix, program):
    """Writes the tree `bin`, `share/man`, completions and documents below a new folder."""
    shutil.rmtree(prefix, ignore_errors=True)
    binaries = prefix / "bin"
    binaries.mkdir(parents=True)
    # A release is stripped already; a development build is four times as large with its symbols.
    run("strip", "-o", binaries / "cairn", program)
    (binaries / "cairn").chmod(0o755)
    # git finds `git-cairn` on the path when someone types `git cairn`.
    (binaries / "git-cairn").symlink_to("cairn")
    write_manual(prefix / "share/man/man1", program)
    for shell, place in COMPLETIONS.items():
        write(prefix / "share" / place, run(program, "completions", shell))
    for name in DOCUMENTS:
        write(prefix / "share/doc/git-cairn" / name, (ROOT / name).read_text())


def write_manual(folder, program):
    """Writes the manual pages, compressed without name and time."""
    folder.mkdir(parents=True)
    run(program, "man", folder)
    for page in sorted(folder.glob("*.1")):
        with open(f"{page}.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
            packed.write(page.read_bytes())
        page.unlink()


def write(path, text):
    """Writes a text file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
