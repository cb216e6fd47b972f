"""Builds a repository from the versions of a package, one commit each, and adds changes whose effect is known by
construction: renamed files, renamed functions, moved functions, overloads and a formatter's commit."""

import os
import pathlib
import re
import subprocess

from outline import Function, functions

SECONDS_PER_STEP = 86_400
FIRST = 1_500_000_000


def git(folder, *arguments, at=None, given=None):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
    if at is not None:
        environment |= {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=given, capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout


class Step:
    """One commit: its files, its functions, and the known moves of functions."""

    def __init__(self, commit, texts, outline, moved):
        self.commit = commit
        self.texts = texts
        self.outline = outline
        # From (path, qualified name, first line) before to (path, name) now.
        self.moved = moved

    def functions(self):
        return [one for path in sorted(self.outline) for one in self.outline[path]]


class History:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.steps = []
        git(self.folder, "init", "-q", "-b", "main")
        git(self.folder, "config", "user.name", "Ada Lovelace")
        git(self.folder, "config", "user.email", "ada@example.com")
        git(self.folder, "config", "gc.auto", "0")

    def commit(self, subject, texts, moved=None):
        before = self.steps[-1].texts if self.steps else {}
        for path in before.keys() - texts.keys():
            (self.folder / path).unlink()
        for path, text in texts.items():
            if before.get(path) != text:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / path).write_text(text)
        git(self.folder, "add", "-A")
        at = FIRST + SECONDS_PER_STEP * len(self.steps)
        git(self.folder, "commit", "-q", "--allow-empty", "-m", subject, at=at)
        commit = git(self.folder, "rev-parse", "HEAD").strip()
        changed = {path: text for path, text in texts.items() if before.get(path) != text}
        outline = functions(changed, self.folder)
        for path in texts.keys() - changed.keys():
            outline[path] = self.steps[-1].outline[path]
        self.steps.append(Step(commit, texts, outline, moved or {}))

    def renames(self, n):
        """Returns git's renames of step n: old path by new path."""
        pair = [self.steps[n - 1].commit, self.steps[n].commit]
        lines = git(self.folder, "diff", "--name-status", "-M", "--diff-filter=R", *pair).splitlines()
        return {line.split("\t")[1]: line.split("\t")[2] for line in lines}


def add_known_changes(history, random):
    """Adds the commits whose effect is known. Each changes three places, if the code has them."""
    rename_files(history, random)
    rename_functions(history, random)
    move_functions(history, random)
    add_overloads(history, random)
    reformat(history)


def key(function):
    return (function.path, function.qualified, function.start)


def alone(step, least=4):
    """Returns functions with a unique name in their file."""
    found = []
    for path, all_of_them in step.outline.items():
        names = [one.name for one in all_of_them]
        found += [one for one in all_of_them if names.count(one.name) == 1 and one.end - one.start >= least]
    return found


def choose(random, all_of_them, n=3):
    paths = {}
    for one in random.sample(all_of_them, len(all_of_them)):
        paths.setdefault(one.path, one)
    return list(paths.values())[:n]


def rename_files(history, random):
    step = history.steps[-1]
    paths = random.sample(sorted(step.texts), min(3, len(step.texts)))
    names = {path: str(pathlib.PurePosixPath("renamed") / path) for path in paths}
    texts = {names.get(path, path): text for path, text in step.texts.items()}
    moved = {key(one): (names[path], one.name) for path in paths for one in step.outline[path]}
    history.commit("Rename files", texts, moved)


def rename_functions(history, random):
    step = history.steps[-1]
    texts, moved = dict(step.texts), {}
    for one in choose(random, [one for one in alone(step) if len(one.name) > 3]):
        new = one.name + "_anew"
        texts[one.path] = re.sub(rf"\b{re.escape(one.name)}\b", new, texts[one.path])
        moved[key(one)] = (one.path, new)
    history.commit("Rename functions", texts, moved)


def move_functions(history, random):
    step = history.steps[-1]
    texts, moved = dict(step.texts), {}
    everywhere = [one.name for one in step.functions()]
    whole = [one for one in alone(step) if not one.scope and everywhere.count(one.name) == 1]
    whole = [one for one in whole if step.texts[one.path].split("\n")[one.start - 1][:1] not in (" ", "\t", "#")]
    for one in choose(random, whole):
        others = sorted(path for path in texts if path != one.path and pathlib.Path(path).suffix == pathlib.Path(one.path).suffix)
        if not others:
            continue
        other = random.choice(others)
        lines = texts[one.path].split("\n")
        texts[one.path] = "\n".join(lines[: one.start - 1] + lines[one.end :])
        texts[other] = texts[other].rstrip("\n") + "\n\n" + "\n".join(lines[one.start - 1 : one.end]) + "\n"
        moved[key(one)] = (other, one.name)
    history.commit("Move functions", texts, moved)


# Keywords must not be renamed: the result would not compile.
KEYWORDS = frozenset(
    """abstract assert async await bool break catch class const constexpr continue crate default delete double elif except extends
    extern false False final finally float friend function global implements import inline instanceof interface lambda match
    mutable namespace native nonlocal operator package private protected public raise register return short signed sizeof static
    string struct super switch template throw throws trait transient typedef typeof typename union unsafe unsigned using
    virtual void volatile where while yield boolean number undefined export""".split()
)
PARAMETER = {".rs": "twin: u8", ".java": "int twin", ".c": "int twin", ".h": "int twin", ".cc": "int twin", ".ts": "twin: number"}


def add_overloads(history, random):
    """Adds a second function of the same name after some: another parameter, another body of the same structure."""
    step = history.steps[-1]
    texts = dict(step.texts)
    for one in choose(random, [one for one in alone(step) if one.end - one.start < 60]):
        lines = texts[one.path].split("\n")
        first, *body = lines[one.start - 1 : one.end]
        if one.name + "(" not in first:
            continue
        suffix = pathlib.Path(one.path).suffix
        parameter = PARAMETER.get(suffix, "twin")
        comma = "" if one.name + "()" in first else ", "
        first = first.replace(one.name + "(", f"{one.name}({parameter}{comma}", 1)
        body = [re.sub(r"\b[A-Za-z_]{5,}\b(?!\()", renamed_word, line) for line in body]
        guard = ["#[cfg(any())]"] if suffix == ".rs" else []
        texts[one.path] = "\n".join(lines[: one.end] + [""] + guard + [first] + body + lines[one.end :])
    history.commit("Add overloads", texts)


def renamed_word(match):
    return match.group() if match.group() in KEYWORDS else match.group() + "_twin"


def reformat(history):
    step = history.steps[-1]
    history.commit("Reformat", {path: indented(text) for path, text in step.texts.items()})


def indented(text):
    """Doubles the indentation, except inside strings, whose value would change."""
    inside = set()
    for match in re.finditer(r'"""(?:.*?)"""|\'\'\'(?:.*?)\'\'\'|`[^`]*`|r#*"(?:[^"])*"#*|"(?:\\.|[^"\\])*"', text, re.DOTALL):
        first = text.count("\n", 0, match.start())
        inside.update(range(first + 1, first + match.group().count("\n") + 1))
    lines = text.split("\n")
    return "\n".join(line if n in inside else re.sub(r"^ +", lambda m: m.group() * 2, line) for n, line in enumerate(lines))
