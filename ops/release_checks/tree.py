# SPDX-License-Identifier: Apache-2.0
"""What git says of the tree that is to be released."""

import re
import subprocess

_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
_SHOWN = 5


def git(root, *words, check=True):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=check).stdout.strip()


def numbers(version):
    """"1.20.3" as (1, 20, 3), to be compared."""
    return tuple(int(part) for part in version.split("."))


def released(root):
    """The versions that have a tag, the newest last."""
    found = (_TAG.fullmatch(tag) for tag in git(root, "tag", "--list", "v*").split())
    return sorted((".".join(match.groups()) for match in found if match), key=numbers)


def problems(root, version, branch):
    found = []
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        some = ", ".join(line[2:].strip() for line in changed[:_SHOWN])
        found.append(f"the tree isn't clean: {some}{' …' if len(changed) > _SHOWN else ''}; commit or remove it")
    at = git(root, "branch", "--show-current")
    if at != branch:
        found.append(f"this is {('branch ' + at) if at else 'no branch'}, and versions are made on {branch}: git switch {branch}, or --branch")
    if version:
        tags = released(root)
        if version in tags:
            found.append(f"v{version} was released already; raise VERSION in CMakeLists.txt")
        elif tags and numbers(version) < numbers(tags[-1]):
            found.append(f"{version} is older than v{tags[-1]}, which was released; raise VERSION in CMakeLists.txt")
    return found
