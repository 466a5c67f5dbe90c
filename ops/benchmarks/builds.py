# SPDX-License-Identifier: Apache-2.0
"""Where the programs of a build are: a folder of a build, a tree that has been built, or a revision, which is built."""

import os
import subprocess

from rig.stack import ROOT

_PROGRAMS = ("ba-agent", "ba-scripted-model")
_TREES = os.path.join(ROOT, "build/bench/trees")


def _has_programs(folder):
    return os.access(os.path.join(folder, _PROGRAMS[0]), os.X_OK)


def _git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=False, capture_output=True, text=True)


def _run(command, folder):
    """A build asks git which commit it is; that of the tree around it would be wrong."""
    done = subprocess.run(command, cwd=folder, env=os.environ | {"GIT_CEILING_DIRECTORIES": _TREES}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} in {folder} ended with {done.returncode}:\n{done.stdout[-2000:]}")


def _built(revision):
    """Its files in a folder of their own, which stays: the next comparison finds it built."""
    tree = os.path.join(_TREES, revision[:12])
    folder = os.path.join(tree, "build/release")
    if not os.path.isdir(tree):
        archive = subprocess.run(["git", "-C", ROOT, "archive", revision], check=True, stdout=subprocess.PIPE).stdout
        fresh = f"{tree}.new"
        os.makedirs(fresh, exist_ok=True)
        subprocess.run(["tar", "-x", "-f", "-", "-C", fresh], input=archive, check=True)
        os.rename(fresh, tree)
    print(f"building {revision[:12]} in {os.path.relpath(folder, ROOT)}", flush=True)
    _run(["cmake", "--preset", "release"], tree)
    _run(["cmake", "--build", "--preset", "release", "--target", *_PROGRAMS], tree)
    return folder


def build_dir_of(word):
    """What somebody calls a build by; ends the program if it is none."""
    for folder in (word, os.path.join(word, "build/release")):
        if _has_programs(folder):
            return os.path.abspath(folder)
    if os.path.isdir(word):
        raise SystemExit(f"{word} has no ba-agent, nor has its build/release: build it first")
    revision = _git("rev-parse", "--verify", "--quiet", f"{word}^{{commit}}").stdout.strip()
    if not revision:
        raise SystemExit(f"{word} is no folder of a build, and no revision of this tree")
    return _built(revision)


def version_of(folder):
    done = subprocess.run([os.path.join(folder, _PROGRAMS[0]), "--version"], check=True, capture_output=True, text=True)
    return " ".join(done.stdout.split())
