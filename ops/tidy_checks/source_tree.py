# SPDX-License-Identifier: Apache-2.0
"""The files of a tree with their text, read once, and C++ without comments and literals."""

import functools
import os
import re
import subprocess

TEXT_BYTES_MAX = 1 << 20

# One match for each comment, string, or character; raw strings first. A quote between digits is a
# separator, not a character.
_NOISE = re.compile(
    r'R"([^\s()\\]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank_noise(text):
    """C++ with comments and literals replaced by blanks; lines and columns stay."""
    return _NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


class SourceTree:
    """What git has or would add below `root`; without git, everything but build folders."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.paths = sorted(p for p in self._list() if os.path.isfile(os.path.join(self.root, p)))

    def _list(self):
        git = subprocess.run(
            ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, text=True, check=False,
        )
        if git.returncode == 0:
            return {p for p in git.stdout.split("\0") if p}
        found = set()
        for folder, inner, files in os.walk(self.root):
            inner[:] = [d for d in inner if d not in ("build", "__pycache__") and not d.startswith(".")]
            found.update(os.path.relpath(os.path.join(folder, f), self.root) for f in files)
        return found

    def absolute(self, path):
        return os.path.join(self.root, path)

    @functools.cache
    def text(self, path):
        """The text of a file; empty for one that is binary or very large."""
        if os.path.islink(self.absolute(path)):
            return ""
        with open(self.absolute(path), "rb") as file:
            data = file.read(TEXT_BYTES_MAX + 1)
        if len(data) > TEXT_BYTES_MAX or b"\0" in data:
            return ""
        return data.decode("utf-8", errors="replace")

    @functools.cache
    def code(self, path):
        return blank_noise(self.text(path))

    def cpp(self):
        return [p for p in self.paths if p.endswith((".cpp", ".hpp"))]

    def with_shebang(self):
        return [p for p in self.paths if self.text(p).startswith("#!")]
