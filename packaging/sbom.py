"""The software bill of materials: every crate in the program, as CycloneDX 1.6.

Built from `cargo metadata` and the checksums of `Cargo.lock`, without build and test dependencies.
"""

import json
import tomllib
import uuid
from datetime import datetime, timezone

import stage

#: The namespace of serial numbers: the same version gets the same number.
NAMESPACE = uuid.UUID("6f9b1f0e-0c1d-5b0f-9d53-2d7c3a8f5e11")


def build(target, folder):
    """Writes the document and returns its path."""
    metadata = json.loads(
        stage.run("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target, cwd=stage.ROOT)
    )
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    program = next(package for package in metadata["packages"] if package["name"] == "git-cairn")
    linked = reachable(program["id"], nodes)
    checksums = read_checksums()
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, f'{stage.version()} {target}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(stage.source_date_epoch(), timezone.utc).isoformat(),
            "component": component(program, checksums) | {"type": "application"},
        },
        "components": [
            component(packages[id], checksums) for id in sorted(linked - {program["id"]}, key=lambda id: sort_key(packages[id]))
        ],
        "dependencies": [
            {"ref": purl(packages[id]), "dependsOn": sorted(purl(packages[other]) for other in normal(nodes[id]))}
            for id in sorted(linked, key=lambda id: sort_key(packages[id]))
        ],
    }
    path = folder / f"cairn-{stage.version()}-{target}.cdx.json"
    stage.write(path, json.dumps(document, indent=1) + "\n")
    return path


def normal(node):
    """Returns what a package links: neither tests nor build scripts."""
    return {dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])}


def reachable(start, nodes):
    """Returns every package that the program links."""
    found, waiting = set(), [start]
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(normal(nodes[id]))
    return found


def read_checksums():
    """Returns the SHA-256 of each crate's archive, from the lock file."""
    lock = tomllib.loads((stage.ROOT / "Cargo.lock").read_text())
    return {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def component(package, checksums):
    """Returns a crate in CycloneDX's shape."""
    described = {
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
    }
    if package["license"]:
        described["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return described


def purl(package):
    """Returns the package URL."""
    return f"pkg:cargo/{package['name']}@{package['version']}"


def sort_key(package):
    """Orders packages by name and version, not by the path of the checkout."""
    return (package["name"], package["version"])
