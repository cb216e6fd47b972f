"""Tracks a function from commit to commit by names, by git's renames, and by text similarity.

If two results are possible the function is `grey` and is not counted."""

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache

from outline import Function

LIVING, GONE, GREY = "living", "gone", "grey"
SAME, ALIKE, UNLIKE = 0.6, 0.35, 0.1
MARGIN = 0.08


@dataclass
class Fate:
    state: str
    function: Function = None
    how: str = "same name"


def squeezed(lines):
    return tuple(text for text in (re.sub(r"\s+", "", line) for line in lines) if text)


@lru_cache(maxsize=200_000)
def likeness(one, other):
    if one == other:
        return 1.0
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def follow(history, n, function):
    """Tracks a function of step n to the newest step."""
    fate = Fate(LIVING, function)
    for step in range(n + 1, len(history.steps)):
        found = next_of(history, step, fate.function)
        if found.state != LIVING:
            return found
        how = found.how if found.how != "same name" else fate.how
        fate = Fate(LIVING, found.function, how)
    return fate


def next_of(history, n, function):
    before, after = history.steps[n - 1], history.steps[n]
    text = squeezed(function.body(before.texts))
    known = after.moved.get((function.path, function.qualified, function.start))
    if known:
        path, name = known
        named = [one for one in after.outline.get(path, []) if one.name == name]
        return best(named, text, after, "moved by construction") if named else Fate(GREY)
    path = function.path
    if path not in after.texts:
        path = renames(history, n).get(path)
    if before.texts.get(path) == after.texts.get(path) and path == function.path:
        return Fate(LIVING, function)
    if path:
        found = in_file(before, after, function, path, text)
        if found:
            return found
    return elsewhere(before, after, function, path, text)


def renames(history, n):
    step = history.steps[n]
    if not hasattr(step, "renames"):
        step.renames = history.renames(n)
    return step.renames


def in_file(before, after, function, path, text):
    same = [one for one in after.outline[path] if one.qualified == function.qualified]
    were = [one for one in before.outline[function.path] if one.qualified == function.qualified]
    if len(same) == 1 and len(were) == 1:
        alike = likeness(text, squeezed(same[0].body(after.texts)))
        return Fate(LIVING, same[0]) if alike >= UNLIKE or len(text) <= 3 else Fate(GREY)
    if same:
        return best(same, text, after, "twin")
    known = {one.qualified for one in before.outline[function.path]}
    # ctags counts owners otherwise when code before is broken: a bare name that is alone is the same function, unless it was
    # there before under the name it has now: then it is the other one of two, of which one is gone.
    bare = [one for one in after.outline[path] if one.name == function.name]
    if len(bare) == 1 and bare[0].qualified not in known and likeness(text, squeezed(bare[0].body(after.texts))) >= SAME:
        return Fate(LIVING, bare[0], "owner renamed")
    new = [one for one in after.outline[path] if one.qualified not in known]
    return among(new, text, after, "renamed")


def elsewhere(before, after, function, home, text):
    new = []
    for path, all_of_them in after.outline.items():
        if path != home and before.texts.get(path) != after.texts[path]:
            known = {one.qualified for one in before.outline.get(path, [])}
            new += [one for one in all_of_them if one.name == function.name and one.qualified not in known]
    return among(new, text, after, "moved") or Fate(GONE)


def among(candidates, text, after, how):
    """Returns the candidate that is clearly the same code; grey if one might be, None if none is."""
    ranked = sorted(((likeness(text, squeezed(one.body(after.texts))), one) for one in candidates), key=lambda pair: -pair[0])
    if not ranked or ranked[0][0] < ALIKE:
        return None
    clear = len(ranked) == 1 or ranked[0][0] - ranked[1][0] > MARGIN
    return Fate(LIVING, ranked[0][1], how) if clear and ranked[0][0] >= SAME else Fate(GREY)


def best(candidates, text, after, how):
    ranked = sorted(((likeness(text, squeezed(one.body(after.texts))), one) for one in candidates), key=lambda pair: -pair[0])
    if len(ranked) == 1 and ranked[0][0] >= UNLIKE:
        return Fate(LIVING, ranked[0][1], how)
    if len(ranked) > 1 and ranked[0][0] >= SAME and ranked[0][0] - ranked[1][0] > MARGIN:
        return Fate(LIVING, ranked[0][1], how)
    return Fate(GREY)


def expected_status(history, n, function, fate):
    """Returns the correct statuses for a function that still exists."""
    then, now = history.steps[n], history.steps[-1]
    was, here = function.body(then.texts), fate.function.body(now.texts)
    has_moved = fate.function.path != function.path or fate.function.name != function.name
    if squeezed(was) == squeezed(here) or "".join(squeezed(was)) == "".join(squeezed(here)):
        # Comments, attributes and decorators before a function may belong to it.
        is_same_above = above(then, function) == above(now, fate.function)
        words = {"moved", "current"} if has_moved or fate.how == "owner renamed" else {"current"}
        return words if is_same_above else words | {"changed"}
    if has_moved and likeness(squeezed(was), squeezed(here)) > 0.6:
        return {"changed", "moved"}
    # A formatter may add commas, parentheses and quotes.
    plain = [re.sub(r"[,()'\"\s;]", "", "\n".join(lines)) for lines in (was, here)]
    return {"changed", "current"} if plain[0] == plain[1] else {"changed"}


def above(step, function):
    """Returns the block without an empty line directly before a function."""
    lines = step.texts[function.path].split("\n")[: function.start - 1]
    block = []
    while lines and lines[-1].strip():
        block.append(re.sub(r"\s+", "", lines.pop()))
        if len(block) > 40:
            break
    return block
