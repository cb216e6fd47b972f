"""Finds the functions of a text independently of Cairn: universal-ctags, Python's ast, and matching braces."""

import ast
import json
import re
import subprocess
from dataclasses import dataclass

KINDS = {"function", "method", "func", "constructor", "subroutine", "member"}
NAME = re.compile(r"^[A-Za-z_$][A-Za-z0-9_$]*$")


@dataclass(frozen=True)
class Function:
    path: str
    scope: str
    name: str
    start: int
    end: int

    @property
    def qualified(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name

    def body(self, texts):
        return texts[self.path].split("\n")[self.start - 1 : self.end]


def python_functions(path, text):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    found = []

    def visit(node, scope):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                # Skipped like a declaration in C: an overload only declares the function that follows it.
                if any(ast.unparse(one).split(".")[-1] == "overload" for one in child.decorator_list):
                    continue
                found.append(Function(path, "::".join(scope), child.name, child.lineno, child.end_lineno))
                visit(child, scope + [child.name])
            elif isinstance(child, ast.ClassDef):
                visit(child, scope + [child.name])
            else:
                visit(child, scope)

    visit(tree, [])
    return found


def blank(text):
    """Replaces strings and comments by blanks, so that braces in them do not count."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|`(?:\\.|[^`\\])*`',
        re.DOTALL,
    )
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def end_by_braces(blanked, start):
    """Returns the line of the closing brace of the function that starts at a line; None for a declaration."""
    depth = 0
    parentheses = 0
    for number, line in enumerate(blanked[start - 1 :], start):
        for letter in line:
            if letter in "([":
                parentheses += 1
            elif letter in ")]":
                parentheses -= 1
            elif letter == "{":
                depth += 1
            elif letter == "}":
                depth -= 1
                if depth == 0 and parentheses <= 0:
                    return number
                if depth < 0:
                    return None
            elif letter == ";" and depth == 0 and parentheses <= 0:
                return None
    return None


def ctags(texts, folder):
    """Runs ctags over files and returns its rows by path."""
    rows = {path: [] for path in texts}
    command = ["ctags", "--output-format=json", "--fields=*", "-o", "-", "-L", "-"]
    # C headers of C++ packages are C++.
    command[1:1] = ["--langmap=C++:+.h"] if any(path.endswith((".cc", ".hpp", ".cpp")) for path in texts) else []
    done = subprocess.run(command, input="\n".join(texts), cwd=folder, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row.get("_type") == "tag" and row["path"] in rows:
            rows[row["path"]].append(row)
    return rows


def functions(texts, folder):
    """Returns the functions of each file. The folder must contain the texts."""
    found = {}
    others = {}
    for path, text in texts.items():
        if path.endswith(".py"):
            found[path] = python_functions(path, text) or []
        else:
            others[path] = text
    for path, rows in (ctags(others, folder) if others else {}).items():
        found[path] = functions_of(path, others[path], rows)
    return found


def functions_of(path, text, rows):
    blanked = blank(text).split("\n")
    found = []
    for row in rows:
        if row.get("kind") not in KINDS or not NAME.match(row["name"]) or row["name"].startswith("Anonymous"):
            continue
        end = row.get("end") or end_by_braces(blanked, row["line"])
        if end is None or end <= row["line"]:
            continue
        scope = re.sub(r"[.]", "::", row.get("scope", ""))
        found.append(Function(path, scope, row["name"], row["line"], end))
    # A name that ctags reports twice for one line is one function.
    return sorted({(one.start, one.name): one for one in found}.values(), key=lambda one: (one.start, one.end))
