"""The MCP bundle (`.mcpb`) for desktop clients, checked and packed by the official tool."""

import json
import shutil

import stage


def build(prefix, target, folder, scratch, mcpb):
    """Builds the bundle with the program `mcpb`, which validates its manifest."""
    root = scratch / "mcpb"
    shutil.rmtree(root, ignore_errors=True)
    (root / "server").mkdir(parents=True)
    shutil.copy2(prefix / "bin/cairn", root / "server/cairn")
    shutil.copy2(stage.ROOT / "crates/web/assets/icon.svg", root / "icon.svg")
    manifest = json.loads((stage.ROOT / "packaging/mcpb/manifest.json").read_text())
    manifest["version"] = stage.version()
    stage.write(root / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    stage.run(*mcpb, "validate", root / "manifest.json")
    bundle = folder / f"cairn-{stage.version()}-{target}.mcpb"
    stage.run(*mcpb, "pack", root, bundle)
    return bundle
