"""Installs each package into an empty prefix and runs the program from there.

A package passes if `cairn demo` ends well, the version is right, and manual pages and completions are where tools look.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile

import stage


def archive(path, scratch):
    """Unpacks the archive."""
    prefix = empty(scratch / "from-archive")
    stage.run("tar", "-xzf", path, "--strip-components=1", "-C", prefix)
    run_program(prefix / "bin/cairn", scratch)
    check_share(prefix / "share")


def deb(path, scratch):
    """Unpacks the package as dpkg does, without touching this system's database."""
    prefix = empty(scratch / "from-deb")
    stage.run("dpkg-deb", "--extract", path, prefix)
    run_program(prefix / "usr/bin/cairn", scratch)
    check_share(prefix / "usr/share")
    named = stage.run("dpkg-deb", "--field", path, "Version").strip()
    expect(named == stage.version(), f"the package names version {named}")


def wheel(path, scratch):
    """Installs the wheel into a new virtual environment, without an index."""
    prefix = empty(scratch / "from-wheel")
    venv.create(prefix, with_pip=True)
    stage.run(prefix / "bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", path)
    run_program(prefix / "bin/cairn", scratch)


def npm(paths, scratch):
    """Installs both packages; the other platforms' packages are optional and absent."""
    prefix = empty(scratch / "from-npm")
    stage.write(prefix / "package.json", json.dumps({"name": "consumer", "version": "1.0.0", "private": True}))
    stage.run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--offline", "--loglevel=error", *paths, cwd=prefix)
    run_program(prefix / "node_modules/.bin/cairn", scratch)
    # The wrapper passes on the exit code: 2 for a usage error.
    refused = subprocess.run([prefix / "node_modules/.bin/cairn", "--no-such-flag"], capture_output=True)
    expect(refused.returncode == 2, f"the wrapper exited with {refused.returncode} instead of 2")


def bundle(path, scratch):
    """Unpacks the bundle and runs its program."""
    prefix = empty(scratch / "from-mcpb")
    program = prefix / "server/cairn"
    with zipfile.ZipFile(path) as bundle:
        # Clients restore the mode; Python's `zipfile` does not.
        mode = bundle.getinfo("server/cairn").external_attr >> 16
        expect(mode & 0o111, "the program in the bundle cannot be executed")
        bundle.extractall(prefix)
    program.chmod(0o755)
    run_program(program, scratch)


def run_program(program, scratch):
    """Runs the version and the demo, with no other `cairn` on the path."""
    home = empty(scratch / "home")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    said = stage.run(program, "--version", env=environment).split()
    expect(said[:2] == ["cairn", stage.version()], f"`--version` printed {said}")
    stage.run(program, "demo", env=environment, cwd=home)


def check_share(share):
    """Checks the manual pages with `man`, if there is one, and the completions."""
    page = share / "man/man1/cairn.1.gz"
    expect(page.is_file() and (share / "man/man1/cairn-list.1.gz").is_file(), "there are no manual pages")
    if shutil.which("man"):
        shown = stage.run("man", "-M", share / "man", "cairn-list", env=os.environ | {"MANPAGER": "cat", "MANWIDTH": "80"})
        expect("cairn" in shown, "`man` does not show the page")
    for shell, place in stage.COMPLETIONS.items():
        expect((share / place).stat().st_size > 0, f"there are no completions for {shell}")


def empty(folder):
    """Returns an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def expect(condition, problem):
    """Ends the run with a message unless the condition holds."""
    if not condition:
        sys.exit(f"error: {problem}")
