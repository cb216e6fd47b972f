"""Compares the program's results with the tracked functions."""

from dataclasses import dataclass, field

from outline import Function
from track import ALIKE, GONE, GREY, LIVING, Fate, expected_status, likeness, squeezed

QUERIES = ("read", "context", "summary", "deps")


@dataclass
class Annotation:
    """One annotation: of a function at a step, which depends on another function there."""

    id: str
    step: int
    function: Function
    fate: Fate
    on: Function = None
    on_fate: Fate = None
    anchor: str = ""
    answers: dict = field(default_factory=dict)


@dataclass
class Verdict:
    package: str
    language: str
    annotations: list
    misattributed: list = field(default_factory=list)
    failures: list = field(default_factory=list)
    unplaced: int = 0


def id_of(text):
    return text.split(" ", 1)[0] if text.startswith("truth-") else None


class Judge:
    def __init__(self, history, cairn, verdict):
        self.history = history
        self.cairn = cairn
        self.verdict = verdict
        self.head = history.steps[-1]
        self.by_id = {one.id: one for one in verdict.annotations}
        self.summaries = {}

    def fail(self, one, query, why, *command):
        where = f"{one.function.path}:{one.function.start}-{one.function.end} {one.function.qualified} at step {one.step}"
        now = one.fate.function
        there = f"{now.path}:{now.start}-{now.end} {now.qualified} ({one.fate.how})" if now else one.fate.state
        self.verdict.failures.append(
            f"{self.verdict.package} {one.id} **{query}**: {why}\n  annotated {where}; now {there}\n"
            f"  `{self.cairn.command(*command)}`"
        )

    def misattribution(self, one, query, why, *command):
        self.verdict.misattributed.append(one.id)
        self.fail(one, f"MISATTRIBUTED by {query}", why, *command)

    def is_right(self, one, path, start, end):
        """Returns whether a location is that of the annotated function; undecided counts as correct."""
        if one.fate.state == GREY:
            return True
        if one.fate.state == GONE:
            text = self.head.texts.get(path, "").split("\n")[start - 1 : end]
            was = one.function.body(self.history.steps[one.step].texts)
            return likeness(squeezed(was), squeezed(text)) >= ALIKE
        now = one.fate.function
        return path == now.path and start <= now.end and now.start <= end

    def check_regions(self, answer, query, *command):
        """Finds annotations reported for another function; returns the correct ones, by id."""
        told = {}
        for region in answer.get("annotations", answer).get("regions", []):
            one = self.by_id.get(id_of(region["intent"]))
            if one is None or region["status"] == "lost" or not region.get("now"):
                continue
            lines = region["now"]["lines"]
            if self.is_right(one, region["now"]["file"], lines["start"], lines["end"]):
                told[one.id] = region
            else:
                place = f"{region['now']['file']}:{lines['start']}-{lines['end']}"
                self.misattribution(one, query, f"`{region['status']}` of {place}", *command)
        return told

    def names(self, one):
        now = one.fate.function
        same = one.anchor.replace(".", "::").split("::")[-1] == now.name and one.fate.how in ("same name", "twin")
        names = [one.anchor] if same else []
        return list(dict.fromkeys([*names, now.qualified, now.name]))

    def ask(self, one):
        if one.fate.state == LIVING:
            self.ask_by_name(one, "read", self.cairn.read)
            self.ask_by_name(one, "context", self.cairn.context)
            self.ask_summary(one)
            self.ask_deps(one)
        elif one.fate.state == GONE and one.function.path in self.head.texts:
            names = [f.name for f in self.head.outline[one.function.path]]
            if one.function.name in names:
                command = ("read", one.function.path, one.function.name)
                self.check_regions(self.cairn.read(*command[1:]), *command)

    def ask_by_name(self, one, query, ask):
        now = one.fate.function
        told = {}
        for name in self.names(one):
            answer = ask(now.path, name)
            told = self.check_regions(answer, query, query, now.path, "--anchor", name)
            if one.id in told:
                break
        one.answers[query] = one.id in told
        if one.id not in told:
            self.fail(one, query, "not told", query, now.path, "--anchor", self.names(one)[0])
        elif query == "read":
            self.check_status(one, told[one.id]["status"])

    def check_status(self, one, status):
        right = expected_status(self.history, one.step, one.function, one.fate)
        one.answers["status"] = status in right
        if status not in right:
            now = one.fate.function
            self.fail(one, "status", f"`{status}`, not {sorted(right)}", "read", now.path, "--anchor", self.names(one)[0])

    def ask_summary(self, one):
        path = one.fate.function.path
        if path not in self.summaries:
            self.summaries[path] = self.told_in_summary(path)
        one.answers["summary"] = one.id in self.summaries[path]
        if one.id not in self.summaries[path]:
            self.fail(one, "summary", "not told", "summary", path)

    def told_in_summary(self, path):
        told = set()
        for unit in self.cairn.summary(path).get("units", []):
            one = self.by_id.get(id_of(unit["intent"]))
            if one is None or unit["status"] == "lost":
                continue
            if self.is_right(one, unit["file"], unit["lines"]["start"], unit["lines"]["end"]):
                told.add(one.id)
            else:
                place = f"{unit['file']}:{unit['lines']['start']}-{unit['lines']['end']}"
                self.misattribution(one, "summary", f"`{unit['status']}` of {place}", "summary", path)
        return told

    def ask_deps(self, one):
        """Queries the dependents of the function that the annotation refers to. Skips names that are not unique in their file."""
        if one.on is None or one.on_fate.state != LIVING:
            return
        on = one.on_fate.function
        if [f.name for f in self.head.outline[on.path]].count(on.name) != 1:
            return
        found = self.cairn.deps(on.path, on.name).get("dependents", [])
        mine = [entry for entry in found if id_of(entry["nature"]) == one.id]
        one.answers["deps"] = bool(mine)
        if not mine:
            self.fail(one, "deps", f"dependent not told of {on.path} {on.qualified} ({one.on_fate.how})", "deps", on.path, "--anchor", on.name)
        for entry in found:
            other = self.by_id.get(id_of(entry["nature"]))
            if other is None or other.on_fate.state != LIVING:
                continue
            meant = other.on_fate.function
            if (meant.path, meant.name) != (on.path, on.name):
                self.misattribution(other, "deps", f"told of {on.path} {on.name}", "deps", on.path, "--anchor", on.name)

    def ask_others(self, random, n=4):
        """Queries functions without an annotation, overloads first: the result must be empty."""
        annotated = {(one.fate.function.path, one.fate.function.start) for one in self.living()}
        for path in sorted({path for path, _ in annotated}):
            named = {one.fate.function.name for one in self.living() if one.fate.function.path == path}
            others = [f for f in self.head.outline[path] if (path, f.start) not in annotated and f.end - f.start > 1]
            random.shuffle(others)
            others.sort(key=lambda f: f.name not in named)
            for function in others[:n]:
                self.ask_other(function)

    def ask_other(self, function):
        # From the second line on: the first line may belong to an enclosing declaration or the previous function.
        command = ("read", function.path, "--lines", f"{function.start + 1}:{function.end}")
        answer = self.cairn.read_lines(function.path, function.start + 1, function.end)
        for id, region in self.check_regions(answer, "read --lines", *command).items():
            one = self.by_id[id]
            now = one.fate.function
            if now and (now.end < function.start or function.end < now.start):
                place = f"{function.path}:{function.start}-{function.end} {function.qualified}"
                self.misattribution(one, "read --lines", f"`{region['status']}`, told of {place}", *command)

    def living(self):
        return [one for one in self.verdict.annotations if one.fate.state == LIVING]
