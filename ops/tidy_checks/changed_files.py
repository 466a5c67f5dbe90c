# SPDX-License-Identifier: Apache-2.0
"""What has changed in a tree of git: commits since a base, and what isn't committed."""

import subprocess

_BASES = ("origin/main", "main", "HEAD")


def _git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def base_of(root, asked=None):
    """The commit that HEAD and `asked` have in common; None: there is no such thing."""
    for name in (asked,) if asked else _BASES:
        base = _git(root, "merge-base", "HEAD", name)
        if base:
            return base.strip()
    return None


def changed(root, base):
    """Paths that are new or different since `base`, committed or not."""
    since = _git(root, "diff", "--name-only", "-z", "--diff-filter=d", base) or ""
    new = _git(root, "ls-files", "-z", "--others", "--exclude-standard") or ""
    return {path for path in (since + new).split("\0") if path}
