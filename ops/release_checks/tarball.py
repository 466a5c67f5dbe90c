# SPDX-License-Identifier: Apache-2.0
"""The source of a commit as a tarball: whoever makes it from that commit has the same bytes."""

import gzip
import hashlib
import os
import subprocess


def make(root, commit, version, folder):
    """Writes the tarball and SHA256SUMS; their paths."""
    name = f"ba-agent-{version}"
    os.makedirs(folder, exist_ok=True)
    tarball = os.path.join(folder, f"{name}.tar.gz")
    data = packed(root, commit, name)
    if packed(root, commit, name) != data:
        raise RuntimeError("two archives of one commit differ")
    with open(tarball, "wb") as file:
        file.write(data)
    sums = os.path.join(folder, "SHA256SUMS")
    with open(sums, "w", encoding="utf-8") as file:
        file.write(f"{hashlib.sha256(data).hexdigest()}  {os.path.basename(tarball)}\n")
    return tarball, sums


def packed(root, commit, name):
    """git gives each file the commit's time, and gzip is told none and no name. Nobody's settings of git
    (umask, end of lines) have a say."""
    options = ["-c", "tar.umask=0022", "-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null"]
    archive = subprocess.run(["git", "-C", root, *options, "archive", "--format=tar", f"--prefix={name}/", commit],
                             capture_output=True, check=True).stdout
    return gzip.compress(archive, compresslevel=9, mtime=0)
