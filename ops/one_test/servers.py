# SPDX-License-Identifier: Apache-2.0
"""The stack for tests that need one: that of the environment, else one of their own, deleted afterwards."""

import contextlib
import os
import subprocess
import sys
import tempfile

_ADDRESS = "BA_POSTGRES_URL"


@contextlib.contextmanager
def stack_environment(root, needed):
    """The environment for tests."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    if not needed:
        yield environment
    elif os.environ.get(_ADDRESS):
        print("uses the stack in the environment", flush=True)
        yield environment
    else:
        with _own_stack(root) as addresses:
            yield environment | addresses


@contextlib.contextmanager
def _own_stack(root):
    stack = os.path.join(root, "ops/stack")
    os.makedirs(os.path.join(root, "build"), exist_ok=True)
    folder = tempfile.mkdtemp(prefix="one-test-stack.", dir=os.path.join(root, "build"))
    try:
        environment = os.environ | {"BA_STACK_FSYNC": "off"}  # as in ops/lib/test_stack.sh
        if subprocess.run([stack, "up", "--dir", folder], env=environment, check=False).returncode:
            sys.exit("test: the servers did not start")
        yield _addresses(stack, folder)
    finally:
        subprocess.run([stack, "reset", "--dir", folder], stdout=subprocess.DEVNULL, check=False)


def _addresses(stack, folder):
    """What ops/stack env exports."""
    script = 'eval "$("$1" env --dir "$2")" && env -0'
    told = subprocess.run(["bash", "-c", script, "bash", stack, folder], capture_output=True, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in told.split("\0") if "=" in line)
