# SPDX-License-Identifier: Apache-2.0
"""The version, which CMakeLists.txt says, and its section in CHANGELOG.md."""

import datetime
import os
import re

from .tree import numbers

_VERSION = re.compile(r"^project\(ba-agent VERSION (\S+) ", re.MULTILINE)
_SECTION = re.compile(r"^## \[([^\]]+)\](?: - (\S+))?[ ]*$", re.MULTILINE)
_NUMBERS = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def _read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def version_of(root):
    """(version, problems)."""
    found = _VERSION.search(_read(root, "CMakeLists.txt"))
    if not found:
        return None, ["CMakeLists.txt has no project(ba-agent VERSION …)"]
    if not _NUMBERS.fullmatch(found.group(1)):
        return None, [f"VERSION in CMakeLists.txt is {found.group(1)!r}; it is three numbers, such as 1.2.3"]
    return found.group(1), []


def sections(text):
    """[(name, date or None, what stands in it)], in order."""
    marks = list(_SECTION.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [(m.group(1), m.group(2), text[m.end(): end].strip()) for m, end in zip(marks, ends)]


def notes(root, version):
    """What CHANGELOG.md says of a version, or None."""
    return next((text for name, _, text in sections(_read(root, "CHANGELOG.md")) if name == version), None)


def _is_date(text):
    try:
        return text is not None and datetime.date.fromisoformat(text) is not None
    except ValueError:
        return False


def problems(root, version):
    found = []
    all_sections = sections(_read(root, "CHANGELOG.md"))
    names = [name for name, _, _ in all_sections]
    if not names or names[0] != "Unreleased":
        found.append("CHANGELOG.md begins with no section [Unreleased]; put an empty one on top")
    elif all_sections[0][2]:
        found.append(f"[Unreleased] of CHANGELOG.md isn't empty; move it to [{version}]")
    if version not in names:
        return found + [f"CHANGELOG.md has no section [{version}]; begin it with: ## [{version}] - {datetime.date.today()}"]
    name, date, text = all_sections[names.index(version)]
    if not _is_date(date):
        found.append(f"the date of [{name}] in CHANGELOG.md is {date!r}; it is one such as {datetime.date.today()}")
    if not text:
        found.append(f"the section [{version}] of CHANGELOG.md is empty")
    versions = [name for name in names if _NUMBERS.fullmatch(name)]
    if versions != sorted(versions, key=numbers, reverse=True) or versions[0] != version:
        found.append(f"the versions of CHANGELOG.md are {', '.join(versions)}; the newest comes first, and that is {version}")
    return found
