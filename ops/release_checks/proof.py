# SPDX-License-Identifier: Apache-2.0
"""A file that ops/test writes after a run of all its levels: which commit, was the tree clean, what came of it."""

import re

_LEVEL = re.compile(r"level (\w+) (\d+) passed (\d+) failed")


def read(path):
    """A dictionary: commit, clean, size, and levels with (passed, failed)."""
    facts = {"levels": {}}
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            level = _LEVEL.fullmatch(line)
            if level:
                facts["levels"][level.group(1)] = (int(level.group(2)), int(level.group(3)))
            elif " " in line:
                name, value = line.split(" ", 1)
                facts[name] = value
    return facts


def problems(path, commit, levels):
    """`levels`: those that there are."""
    try:
        facts = read(path)
    except OSError as error:
        return [f"there is no proof ({error.strerror}: {path}); run ops/test, or leave --proof away"]
    found = []
    if facts.get("commit") != commit:
        found.append(f"the proof is of {facts.get('commit')}, and this is {commit}; run ops/test on it")
    if facts.get("clean") != "yes":
        found.append("the proof is of a tree with changes that no commit has; run ops/test on a clean one")
    missing = [level for level in levels if level not in facts["levels"]]
    if missing:
        found.append(f"the proof lacks the levels {', '.join(missing)}; run ops/test, all of it")
    for level, (passed, failed) in facts["levels"].items():
        if failed or not passed:
            found.append(f"the proof says of {level}: {passed} passed, {failed} failed")
    return found
