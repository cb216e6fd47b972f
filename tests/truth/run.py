"""`cargo xtask truth`: annotates functions of real code at old commits and checks the results for them at the newest one.

What became of each function is found out without Cairn: by git's renames, universal-ctags, Python's ast and difflib.
"""

import argparse
import pathlib
import random as randomness
import shutil
import sys
import time

import packages
from ask import Cairn
from history import History, add_known_changes
from judge import Annotation, Judge, QUERIES, Verdict
from track import GONE, GREY, LIVING, follow

MAX_PER_FILE = 12
# The share of annotations whose function no longer exists, or cannot be tracked.
MAX_GONE = 0.2
REQUIRED = {"misattributed": 0, "found": 0.97, "status": 0.98}
# Of the short version's thirty annotations some 26 are of living functions: two of them may be missed, and two judged wrongly.
REQUIRED_SHORT = {"misattributed": 0, "found": 0.92, "status": 0.92}


def main():
    options = arguments()
    root = pathlib.Path(options.work)
    shutil.rmtree(root / "repositories", ignore_errors=True)
    chosen = [one for one in packages.PACKAGES if not options.package or one[0] in options.package]
    if options.short:
        chosen = [one for one in packages.PACKAGES if one[0] in packages.SHORT]
        options.versions, options.annotations = 8, 30
    verdicts = []
    for one in chosen:
        verdicts.append(examine(options, root, one, options.annotations // len(chosen)))
        # Intermediate results can be read while the rest runs.
        text = report(verdicts, options)
        for file in [root / "report.md", *map(pathlib.Path, options.report)]:
            file.write_text(text)
    print(text.split("## Failures")[0])
    sys.exit(0 if is_good(verdicts, REQUIRED_SHORT if options.short else REQUIRED) else 1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the built cairn")
    parser.add_argument("--work", required=True, help="where repositories and downloads are kept")
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("--versions", type=int, default=32)
    parser.add_argument("--annotations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--report", action="append", default=[])
    return parser.parse_args()


def examine(options, root, package, n):
    name, registry, language, endings, part = package
    began = time.monotonic()
    random = randomness.Random(f"{options.seed} {name}")
    history = History(root / "repositories" / name)
    for version, texts in packages.versions(root / "downloads", name, registry, endings, part, options.versions):
        history.commit(f"Version {version}", texts)
    if len(history.steps) < min(options.versions, 30):
        sys.exit(f"{name}: only {len(history.steps)} versions have sources")
    add_known_changes(history, random)
    cairn = Cairn(options.program, history.folder)
    verdict = Verdict(name, language, [])
    choose(history, random, n, verdict)
    write(history, cairn, verdict)
    judge = Judge(history, cairn, verdict)
    for one in verdict.annotations:
        judge.ask(one)
    judge.ask_others(random)
    print(f"{name}: {len(history.steps)} commits, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return verdict


def choose(history, random, n, verdict):
    """Chooses functions at old commits with distinct current functions, a few in each file."""
    taken, per_file, n_gone = set(), {}, 0
    for _ in range(n * 20):
        if len(verdict.annotations) >= n:
            return
        step = random.randrange(len(history.steps) - 1)
        all_of_them = [one for one in history.steps[step].functions() if one.end - one.start >= 2]
        if len(all_of_them) < 2:
            continue
        function, on = random.sample(all_of_them, 2)
        fate = follow(history, step, function)
        now = fate.function or function
        place = (now.path, now.start) if fate.state == LIVING else (now.path, now.qualified)
        is_enough = fate.state != LIVING and n_gone >= n * MAX_GONE
        if place in taken or is_enough or per_file.get(now.path, 0) >= MAX_PER_FILE:
            continue
        n_gone += fate.state != LIVING
        taken.add(place)
        per_file[now.path] = per_file.get(now.path, 0) + 1
        id = f"truth-{len(verdict.annotations):03}"
        verdict.annotations.append(Annotation(id, step, function, fate, on, follow(history, step, on)))


def write(history, cairn, verdict):
    for step in sorted({one.step for one in verdict.annotations}):
        mine = [one for one in verdict.annotations if one.step == step]
        answer = cairn.annotate(history.steps[step].commit, [region(one) for one in mine])
        if "failed" in answer:
            sys.exit(f"{verdict.package}: cannot annotate: {answer['failed']}")
        for one, placed in zip(mine, answer["regions"]):
            one.anchor = placed["anchor"]
            lines = placed.get("lines")
            is_there = lines and lines["start"] <= one.function.end and one.function.start <= lines["end"]
            if not is_there or placed["resolution"] in ("lost", "ambiguous"):
                verdict.unplaced += 1
                verdict.failures.append(f"{verdict.package} {one.id} **anchor**: {one.function} was placed as {placed}")
                verdict.annotations.remove(one)


def region(one):
    function, on = one.function, one.on
    return {
        "file": function.path,
        "anchor": function.name,
        "lines": {"start": function.start, "end": function.end},
        "intent": f"{one.id} {function.qualified}",
        "semantic_dependencies": [{"file": on.path, "anchor": on.qualified, "nature": f"{one.id} relies on it"}],
    }


def share(all_of_them, query):
    asked = [one.answers[query] for one in all_of_them if query in one.answers]
    return sum(asked), len(asked)


def is_found_alike(one):
    return all(one.answers[query] for query in QUERIES if query in one.answers)


def figures(verdicts):
    all_of_them = [one for verdict in verdicts for one in verdict.annotations]
    living = [one for one in all_of_them if one.fate.state == LIVING]
    alike = sum(is_found_alike(one) for one in living)
    status = share(living, "status")
    return {
        "misattributed": sum(len(set(verdict.misattributed)) for verdict in verdicts),
        "found": alike / max(len(living), 1),
        "status": status[0] / max(status[1], 1),
    }


def is_good(verdicts, required):
    found = figures(verdicts)
    n_placed = sum(len(verdict.annotations) for verdict in verdicts)
    return (
        n_placed > 0
        and found["misattributed"] <= required["misattributed"]
        and found["found"] >= required["found"]
        and found["status"] >= required["status"]
    )


def report(verdicts, options):
    lines = ["# Annotations beside the truth", "", f"seed {options.seed}, {options.versions} versions of each package", ""]
    head = ["package", "language", "annotations", "unplaced", "living", "gone", "grey", "misattributed", *QUERIES, "all alike", "status right"]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for verdict in verdicts:
        lines.append(row(verdict.package, verdict.language, [verdict]))
    lines.append(row("**all**", "", verdicts))
    found = figures(verdicts)
    lines += ["", f"misattributed {found['misattributed']} (required 0), found alike {found['found']:.1%} (required 97 %), status right {found['status']:.1%} (required 98 %)", ""]
    lines += ["## Failures", ""]
    lines += [f"- {failure}" for verdict in verdicts for failure in verdict.failures]
    return "\n".join(lines) + "\n"


def row(name, language, verdicts):
    all_of_them = [one for verdict in verdicts for one in verdict.annotations]
    count = lambda state: sum(one.fate.state == state for one in all_of_them)
    living = [one for one in all_of_them if one.fate.state == LIVING]
    cells = [name, language, len(all_of_them), sum(verdict.unplaced for verdict in verdicts), count(LIVING), count(GONE), count(GREY)]
    cells.append(sum(len(set(verdict.misattributed)) for verdict in verdicts))
    cells += ["{}/{}".format(*share(living, query)) for query in QUERIES]
    cells.append(f"{sum(is_found_alike(one) for one in living)}/{len(living)}")
    cells.append("{}/{}".format(*share(living, "status")))
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


if __name__ == "__main__":
    main()
