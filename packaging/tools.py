"""The programs that build and check packages: pinned, and installed under `target/tools` if they are missing."""

import shutil
import sys
import venv

import stage

MATURIN = "maturin==1.16.0"
#: Has the published schemas of the MCP registry.
SKILLSAW = "skillsaw==0.22.0"
#: Parses the files that only other systems can build (`syntax.py`).
PARSERS = ["tree-sitter==0.26.0", "tree-sitter-containerfile==0.9.2", "tree-sitter-nix==0.1.0", "tree-sitter-ruby==0.23.1", "PyYAML==6.0.3"]
MCPB = "@anthropic-ai/mcpb@2.1.2"

#: Programs that must be there already.
NEEDED = ["cargo", "dpkg-deb", "git", "npm", "strip", "tar"]


def check():
    """Ends the run with one list of what is missing."""
    missing = [program for program in NEEDED if not shutil.which(program)]
    if missing:
        sys.exit(f"error: these programs are missing: {', '.join(missing)}")


def python_tools():
    """Returns the folder with `maturin`, and a Python that has `skillsaw` and the parsers."""
    folder = stage.ROOT / "target/tools/packaging-python"
    stamp = folder / "installed"
    packages = [MATURIN, SKILLSAW, *PARSERS]
    wanted = " ".join(packages)
    if not stamp.is_file() or stamp.read_text() != wanted:
        venv.create(folder, with_pip=True, clear=True)
        stage.run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        stamp.write_text(wanted)
    return folder / "bin"


def mcpb():
    """Returns the command of the bundle's official tool."""
    folder = stage.ROOT / "target/tools/packaging-node"
    program = folder / "node_modules/.bin/mcpb"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        stage.write(folder / "package.json", '{"private": true}\n')
        stage.run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", MCPB, cwd=folder)
    return [program]
