# SPDX-License-Identifier: Apache-2.0
"""Makes the links that a package of npm can't hold: pg-symlinks.json of the folder lists them."""

import json
import os
import sys


def main(folder):
    with open(os.path.join(folder, "pg-symlinks.json"), encoding="utf-8") as file:
        links = json.load(file)
    for link in links:
        source, target = (os.path.normpath(link[end].removeprefix("native/")) for end in ("source", "target"))
        for path in (source, target):
            if os.path.isabs(path) or path.startswith(".."):
                raise SystemExit(f"{path} in pg-symlinks.json is outside the package")
        if os.path.exists(os.path.join(folder, source)):  # else it is one of those left out
            os.symlink(os.path.relpath(source, os.path.dirname(target)), os.path.join(folder, target))


main(sys.argv[1])
