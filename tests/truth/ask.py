"""Runs queries of the built program, and parses the results."""

import json
import os
import subprocess


class Cairn:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", NO_COLOR="1")

    def run(self, *arguments, given=None):
        return subprocess.run(
            [self.program, "-C", str(self.folder), *arguments],
            input=given,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=300,
        )

    def json(self, *arguments, given=None):
        done = self.run(*arguments, given=given)
        if done.returncode != 0:
            return {"failed": done.stderr.strip()}
        return json.loads(done.stdout)

    def annotate(self, commit, regions):
        document = {"summary": "truth", "regions": regions}
        return self.json("annotate", "--json", "--commit", commit, given=json.dumps(document))

    def read(self, path, name):
        return self.json("read", path, "--anchor", name, "--max-regions", "200", "--format", "json")

    def read_lines(self, path, start, end):
        return self.json("read", path, "--lines", f"{start}:{end}", "--max-regions", "200", "--format", "json")

    def context(self, path, name):
        return self.json("context", path, "--anchor", name, "--format", "json")

    def deps(self, path, name):
        return self.json("deps", path, "--anchor", name, "--format", "json")

    def summary(self, path):
        return self.json("summary", path, "--format", "json")

    def command(self, *arguments):
        return " ".join([os.path.basename(self.program), "-C", str(self.folder), *arguments])
