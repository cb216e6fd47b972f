#!/usr/bin/env python3
"""Builds every package of a release into `target/dist`, installs each into an empty prefix, and runs it there.

    python3 packaging/dist.py                     a release: optimized program, all packages, checksums, bill of materials
    python3 packaging/dist.py --profile dev       the same from an unoptimized build, in minutes
    python3 packaging/dist.py --program PATH      packs a program that is there already: what CI runs

The same commit gives the same bytes on the same system: times are those of the commit, paths of the checkout are removed.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import sys

import archive
import deb
import mcpb
import npm
import sbom
import stage
import tools
import verify


def main():
    """Builds, packs, verifies, and prints the paths of the packages."""
    options = parse()
    tools.check()
    folder = verify.empty(stage.ROOT / "target/dist")
    scratch = verify.empty(stage.ROOT / "target/dist-scratch")
    target = host()
    program = options.program or build_program(options.profile)
    prefix = scratch / "prefix"
    stage.fill(prefix, program)
    step("archive", lambda: archive.build(prefix, target, folder), lambda path: verify.archive(path, scratch))
    step("Debian package", lambda: deb.build(prefix, target, folder, scratch), lambda path: verify.deb(path, scratch))
    step("npm packages", lambda: npm.build(prefix, target, folder, scratch), lambda paths: verify.npm(paths, scratch))
    if options.program:
        print("leaving out the wheel: maturin packs only what it has built", file=sys.stderr)
    else:
        step("wheel", lambda: build_wheel(options.profile, folder), lambda path: verify.wheel(path, scratch))
    step("MCP bundle", lambda: mcpb.build(prefix, target, folder, scratch, tools.mcpb()), lambda path: verify.bundle(path, scratch))
    step("bill of materials", lambda: sbom.build(target, folder), lambda path: None)
    check_server_json()
    check_versions()
    stage.run(tools.python_tools() / "python", stage.ROOT / "packaging/syntax.py")
    shutil.copyfile(stage.ROOT / "packaging/server.json", folder / "server.json")
    write_checksums(folder)
    shutil.rmtree(scratch)
    for path in sorted(folder.iterdir()):
        print(path.relative_to(stage.ROOT))


def parse():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="dist", help="cargo's profile: `dist` for a release, `dev` for a quick check")
    parser.add_argument("--program", type=pathlib.Path, help="pack this program instead of building one, without the wheel")
    options = parser.parse_args()
    if options.program and not options.program.is_file():
        parser.error(f"there is no program `{options.program}`")
    return options


def step(name, build, check):
    """Builds one kind of package and installs it into an empty prefix."""
    print(f"building the {name}", file=sys.stderr)
    built = build()
    check(built)


def host():
    """Returns the target for which this machine builds."""
    lines = stage.run("rustc", "-vV").splitlines()
    return next(line.removeprefix("host: ") for line in lines if line.startswith("host: "))


def build_environment():
    """Returns the environment of a reproducible build: no path of this machine ends up in the program."""
    home = os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))
    remaps = [f"--remap-path-prefix={home}=/cargo", f"--remap-path-prefix={stage.ROOT}=/cairn"]
    return os.environ | {"SOURCE_DATE_EPOCH": str(stage.source_date_epoch()), "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(remaps)}


def environment_for(profile):
    """Returns the environment of a build; a development build shares what the tests have built already."""
    return build_environment() if profile == "dist" else dict(os.environ)


def build_program(profile):
    """Builds the program and returns its path."""
    stage.run("cargo", "build", "--locked", "--profile", profile, "--package", "git-cairn", cwd=stage.ROOT, env=environment_for(profile))
    target = stage.ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    return target / ("debug" if profile == "dev" else profile) / "cairn"


def build_wheel(profile, folder):
    """Builds the wheel with maturin, from the program that cargo has just built."""
    maturin = tools.python_tools() / "maturin"
    words = ["build", "--locked", "--profile", profile, "--out", folder]
    if profile == "dev":
        # A development build may need a newer glibc than the policy of PyPI allows; nobody uploads it.
        words += ["--compatibility", "linux", "--auditwheel", "skip"]
    stage.run(maturin, *words, cwd=stage.ROOT, env=environment_for(profile))
    return next(folder.glob("*.whl"))


def check_server_json():
    """Checks the entry for the MCP registry against its published schema, and its version against ours."""
    path = stage.ROOT / "packaging/server.json"
    entry = json.loads(path.read_text())
    versions = {entry["version"], *(package["version"] for package in entry["packages"])}
    verify.expect(versions == {stage.version()}, f"`{path.name}` names the versions {sorted(versions)}")
    check = "import json, sys; from importlib.resources import files; import jsonschema; " \
        "schema = json.loads(files('skillsaw').joinpath('schemas/mcp_registry/v2025_12_11/server.schema.json').read_text()); " \
        "jsonschema.validate(json.load(open(sys.argv[1])), schema)"
    stage.run(tools.python_tools() / "python", "-c", check, path)


def check_versions():
    """Compares the versions that are written by hand with that of the workspace."""
    for name, line in [("homebrew/git-cairn.rb", "refs/tags/v{}.tar.gz"), ("nix/package.nix", 'version = "{}";')]:
        text = (stage.ROOT / "packaging" / name).read_text()
        verify.expect(line.format(stage.version()) in text, f"`packaging/{name}` names another version than {stage.version()}")


def write_checksums(folder):
    """Writes the SHA-256 of every package, as `sha256sum -c` reads it."""
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())]
    stage.write(folder / "SHA256SUMS", "".join(lines))


if __name__ == "__main__":
    main()
