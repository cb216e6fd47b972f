"""Two npm packages: one per platform with the program, and the wrapper that depends on it.

There is no install script: npm selects the platform's package by its `os` and `cpu`.
"""

import json
import shutil

import stage

#: npm's names of the platforms.
PLATFORMS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64"),
    "x86_64-apple-darwin": ("darwin", "x64"),
    "aarch64-apple-darwin": ("darwin", "arm64"),
}


def build(prefix, target, folder, scratch):
    """Builds both packages and returns their paths."""
    root = scratch / "npm"
    shutil.rmtree(root, ignore_errors=True)
    return [pack(root / "platform", folder, fill_platform(root / "platform", prefix, target)), pack(root / "wrapper", folder, fill_wrapper(root / "wrapper"))]


def shared(name, about):
    """Returns the keys that both packages have."""
    return {
        "name": name,
        "version": stage.version(),
        "description": about,
        "license": "(MIT OR Apache-2.0)",
        "repository": {"type": "git", "url": "git+https://github.com/cairn-project/cairn.git"},
        "homepage": "https://github.com/cairn-project/cairn",
    }


def platform_name(target):
    """Returns the name of a platform's package."""
    system, processor = PLATFORMS[target]
    return f"@git-cairn/{system}-{processor}"


def fill_platform(root, prefix, target):
    """Fills the package with the program."""
    system, processor = PLATFORMS[target]
    (root / "bin").mkdir(parents=True)
    shutil.copy2(prefix / "bin/cairn", root / "bin/cairn")
    copy_licenses(root)
    package = shared(platform_name(target), f"The program of git-cairn for {system} on {processor}")
    package |= {"os": [system], "cpu": [processor], "files": ["bin"], "preferUnplugged": True}
    if system == "linux":
        package["libc"] = ["glibc"]
    return package


def fill_wrapper(root):
    """Fills the package that people install."""
    root.mkdir(parents=True)
    shutil.copy2(stage.ROOT / "packaging/npm/cairn.js", root / "cairn.js")
    shutil.copy2(stage.ROOT / "README.md", root / "README.md")
    copy_licenses(root)
    package = shared("git-cairn", "A project's memory inside its git repository: issues, reasons and review, for people and agents")
    # The MCP registry accepts the package only if it names the server.
    package |= {"mcpName": "io.github.cairn-project/cairn", "bin": {"cairn": "cairn.js", "git-cairn": "cairn.js"}}
    package |= {"files": ["cairn.js"], "engines": {"node": ">=18"}, "keywords": ["git", "issues", "mcp", "agents"]}
    package["optionalDependencies"] = {platform_name(target): stage.version() for target in PLATFORMS}
    return package


def copy_licenses(root):
    """Copies both licenses."""
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        shutil.copy2(stage.ROOT / name, root / name)


def pack(root, folder, package):
    """Writes `package.json` and packs the folder; npm fixes the times of the files itself."""
    stage.write(root / "package.json", json.dumps(package, indent=2) + "\n")
    packed = json.loads(stage.run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder, cwd=root))
    return folder / packed[0]["filename"]
