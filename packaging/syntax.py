"""Checks the syntax of the files that nothing on this machine can build: formula, Nix expression, container files.

    python packaging/syntax.py        runs in the environment of `tools.python_tools`, which has the grammars

A syntax error ends the run with the file and the line; that the packages build elsewhere is not shown by it.
"""

import importlib
import pathlib
import sys

import tree_sitter
import yaml

FOLDER = pathlib.Path(__file__).resolve().parent

#: A file and the Python package with the grammar of its language.
FILES = {
    "homebrew/git-cairn.rb": "tree_sitter_ruby",
    "nix/package.nix": "tree_sitter_nix",
    "Containerfile": "tree_sitter_containerfile",
}


def main():
    """Checks every file, and lists the errors of all of them."""
    errors = [error for name, grammar in FILES.items() for error in syntax_errors(name, grammar)]
    errors += compose_errors("compose.yaml")
    sys.exit("\n".join(errors) or None)


def syntax_errors(name, grammar):
    """Returns a line for each place that the grammar does not accept."""
    language = tree_sitter.Language(importlib.import_module(grammar).language())
    tree = tree_sitter.Parser(language).parse((FOLDER / name).read_bytes())
    return [f"error: packaging/{name}:{node.start_point.row + 1}: invalid syntax" for node in innermost_errors(tree.root_node)]


def innermost_errors(node):
    """Yields the nodes that are errors themselves, not those that only contain one."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from innermost_errors(child)


def compose_errors(name):
    """Returns what is wrong with the file for `docker compose`: its YAML, or a service without an image to run."""
    try:
        services = yaml.safe_load((FOLDER / name).read_text())["services"]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        return [f"error: packaging/{name}: {error}"]
    return [
        f"error: packaging/{name}: service `{service}` has neither an image nor a build"
        for service, keys in services.items()
        if not {"image", "build"} & keys.keys()
    ]


if __name__ == "__main__":
    main()
