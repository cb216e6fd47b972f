"""The published packages whose versions become histories, and the requests to their registries.

Each package gives one repository: a commit for each version, oldest first, with the source files of one language.
"""

import io
import json
import pathlib
import tarfile
import time
import urllib.request

# name, registry, language of the files that are kept, their endings, a part of the path they must have
PACKAGES = [
    ("itertools", "crates", "Rust", (".rs",), "src/"),
    ("tree-sitter", "crates", "C", (".c", ".h"), "src/"),
    ("node-addon-api", "npm", "C++", (".h", ".cc", ".hpp"), ""),
    ("requests", "pypi", "Python", (".py",), "requests/"),
    ("express", "npm", "JavaScript", (".js",), "lib/"),
    ("rxjs", "npm", "TypeScript", (".ts",), "src/internal/"),
    ("react-native-device-info", "npm", "Java", (".java",), "android/"),
    ("hashbrown", "crates", "Rust", (".rs",), "src/"),
    ("click", "pypi", "Python", (".py",), "click/"),
    ("fastify", "npm", "JavaScript", (".js",), "lib/"),
]
SHORT = ["itertools", "node-addon-api", "click"]

# Test data, bundles and generated code are excluded: nobody annotates them.
LEFT_OUT = ("/test", "test/", "tests/", "/dist/", ".min.", "/vendor/", "/packages/", ".d.ts", "/node_modules/", "unicode/")
MAX_FILE = 400_000
MAX_FILES = 60


def get(url):
    """Downloads a URL with three attempts: registries occasionally drop a connection."""
    request = urllib.request.Request(url, headers={"User-Agent": "cairn-soak-truth"})
    for attempt in range(3):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read()
        except OSError:
            if attempt == 2:
                raise
            time.sleep(1 + attempt)


def cached(cache, name, url):
    file = pathlib.Path(cache) / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_bytes(get(url))
        part.rename(file)
    return file.read_bytes()


def version_key(version):
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else None


def archives(cache, package, registry):
    """Returns (version, URL) of every release, oldest first; no pre-releases."""
    if registry == "crates":
        prefix = {1: "1", 2: "2", 3: f"3/{package[0]}"}.get(len(package), f"{package[:2]}/{package[2:4]}")
        index = cached(cache, f"{package}.index", f"https://index.crates.io/{prefix}/{package}").decode()
        names = [json.loads(line)["vers"] for line in index.splitlines()]
        found = [(name, f"https://static.crates.io/crates/{package}/{package}-{name}.crate") for name in names]
    elif registry == "npm":
        index = json.loads(cached(cache, f"{package}.index", f"https://registry.npmjs.org/{package}"))
        found = [(name, one["dist"]["tarball"]) for name, one in index["versions"].items()]
    else:
        index = json.loads(cached(cache, f"{package}.index", f"https://pypi.org/pypi/{package}/json"))
        found = [
            # A mirror may use URLs relative to its own pages; the path behind `packages/` is the same everywhere.
            (name, "https://files.pythonhosted.org/packages/" + file["url"].rsplit("packages/", 1)[-1])
            for name, files in index["releases"].items()
            for file in files
            if file["packagetype"] == "sdist" and file["url"].endswith(".tar.gz")
        ]
    keyed = {version_key(name): (name, address) for name, address in found if version_key(name)}
    return [keyed[key] for key in sorted(keyed)]


def spread(all_of_them, n):
    """Chooses n elements of a list, evenly spaced, including the last."""
    if len(all_of_them) <= n:
        return all_of_them
    return [all_of_them[round(i * (len(all_of_them) - 1) / (n - 1))] for i in range(n)]


def sources(data, endings, part):
    """Returns the texts of an archive's source files by path, without the archive's own top folder."""
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive.getmembers():
            path = member.name.split("/", 1)[-1]
            if not member.isfile() or member.size > MAX_FILE or not path.endswith(endings) or part not in path:
                continue
            if any(word in "/" + path for word in LEFT_OUT):
                continue
            try:
                texts[path] = archive.extractfile(member).read().decode().replace("\r\n", "\n")
            except UnicodeDecodeError:
                continue
    largest = sorted(texts, key=lambda path: (-len(texts[path]), path))[:MAX_FILES]
    return {path: texts[path] for path in sorted(largest)}


def versions(cache, package, registry, endings, part, n):
    """Returns (version, texts by path) of n releases, oldest first."""
    found = []
    # Of the newest, since years between two commits are no history anyone has; more than asked for, since some releases were
    # published without their sources.
    for name, address in spread(archives(cache, package, registry)[-2 * n :], n + n // 2):
        texts = sources(cached(cache, f"{package}/{name}.tar.gz", address), endings, part)
        found += [(name, texts)] if texts else []
    return found[-n:]
