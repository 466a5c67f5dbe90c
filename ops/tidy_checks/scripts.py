# SPDX-License-Identifier: Apache-2.0
"""Each script can be read by its interpreter: Python by /usr/bin/python3's compiler, others by bash."""

import re
import subprocess
import warnings

_BASH = re.compile(r"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:ba)?sh\b")
_PYTHON = re.compile(r"#!\s*\S*(?:env\s+)?python3?\b")
_BASH_LINE = re.compile(r"line (\d+): (.*)")


def _python(path, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning of the compiler, such as for "\d", is a mistake, too
        try:
            compile(text, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            return [f"{path}:{error.lineno or 1}: {error.msg}"]
    return []


def _bash(path, text):
    ran = subprocess.run(["/bin/bash", "-n"], input=text, capture_output=True, text=True, check=False)
    if ran.returncode == 0:
        return []
    found = _BASH_LINE.search(ran.stderr)
    return [f"{path}:{found[1]}: {found[2]}" if found else f"{path}:1: {ran.stderr.strip()}"]


def check(tree):
    findings = []
    for path in tree.paths:
        text = tree.text(path)
        if path.endswith(".py") or _PYTHON.match(text):
            findings += _python(path, text)
        elif path.endswith(".sh") or _BASH.match(text):
            findings += _bash(path, text)
    return findings
