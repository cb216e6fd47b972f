"""The archive for `cargo binstall`, Homebrew and people: `cairn-VERSION-TARGET.tar.gz`."""

import gzip
import tarfile

import stage


def build(prefix, target, folder):
    """Packs the staged tree; names are sorted, times and owners fixed."""
    name = f"cairn-{stage.version()}-{target}"
    path = folder / f"{name}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for file in sorted(prefix.rglob("*")):
                archive.add(file, f"{name}/{file.relative_to(prefix)}", recursive=False, filter=normalize)
    return path


def normalize(entry):
    """Removes what differs between machines."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = stage.source_date_epoch()
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry
