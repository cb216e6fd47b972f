"""The Debian package, built by `dpkg-deb` from the staged tree."""

import os
import shutil

import stage

CONTROL = """\
Package: git-cairn
Version: {version}
Architecture: {architecture}
Maintainer: The Cairn developers <cairn@example.org>
Installed-Size: {size}
Depends: git (>= 1:2.34), libc6 (>= 2.34), libgcc-s1
Section: vcs
Priority: optional
Homepage: https://github.com/cairn-project/cairn
Description: project memory inside its git repository
 Issues, tasks, stories, milestones and boards, annotations that explain the
 code, and review messages, stored as refs of the git repository itself. One
 program: a command line, a web board and an MCP server for agents.
"""

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cairn
Source: https://github.com/cairn-project/cairn

Files: *
Copyright: the Cairn developers
License: Expat or Apache-2.0
"""

#: Debian's names of the processors that Rust names otherwise.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def build(prefix, target, folder, scratch):
    """Builds the package and returns its path."""
    architecture = ARCHITECTURES[target.split("-")[0]]
    root = scratch / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(prefix, root / "usr", symlinks=True)
    documents = root / "usr/share/doc/git-cairn"
    # Debian has the Apache license in /usr/share/common-licenses; the MIT license is short.
    license_texts = (documents / "LICENSE-MIT").read_text()
    stage.write(documents / "copyright", f"{COPYRIGHT}\n{license_texts}\nThe Apache license: /usr/share/common-licenses/Apache-2.0\n")
    for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
        (documents / name).unlink()
    size = sum(file.lstat().st_size for file in root.rglob("*") if not file.is_dir()) // 1024
    control = CONTROL.format(version=stage.version(), architecture=architecture, size=size)
    stage.write(root / "DEBIAN/control", control)
    package = folder / f"git-cairn_{stage.version()}_{architecture}.deb"
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(stage.source_date_epoch())}
    stage.run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, package, env=environment)
    return package
