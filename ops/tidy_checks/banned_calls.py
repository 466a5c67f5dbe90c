# SPDX-License-Identifier: Apache-2.0
"""The core and the driver have no clock, thread, socket, environment, file or random source: they
run under a simulation, where each of these is a port."""

import re

from .source_tree import line_of

# The driver: what in worker/runtime is no adapter.
_DRIVER = re.compile(r"worker/runtime/(engine|job_runner|agent_directory|lease_keeper|incarnation|intake_decoder|run_observer|life_observer)\.")

_BANNED = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (r"\b\w+_clock\s*::\s*now\b", "a clock (take a Clock)"),
        (r"\b(?:std\s*::\s*|::\s*)?(?:time|clock|gettimeofday|clock_gettime|localtime(?:_r)?)\s*\("
         r"(?=\s*(?:0|NULL|nullptr|&|CLOCK_|\)))", "a clock (take a Clock)"),
        (r"\bs?rand(?:om)?\s*\(|\brandom_device\b|\bmt19937|\bdefault_random_engine\b",
         "a random source (take a Random)"),
        (r"\bstd\s*::\s*(?:jthread|thread|async|mutex|condition_variable)\b|\bpthread_",
         "a thread or a lock (post to the Executor)"),
        (r"\b(?:secure_)?getenv\s*\(|\bsetenv\s*\(|\benviron\b", "the environment"),
        (r"(?<![\w.>:])(?:::\s*)?(?:socket|connect|accept|recv|sendto)\s*\(", "a socket"),
        (r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\b|(?<![\w.>])sleep\s*\(",
         "sleep (use Executor::after)"),
        (r"\bstd\s*::\s*[io]?fstream\b|\bfopen\s*\(|\bstd\s*::\s*filesystem\b", "a file"),
        (r"\bstd\s*::\s*(?:cout|cerr|clog|cin)\b|(?<!n)printf\s*\(", "a console"),
    )
)
# What a failed assertion prints before it aborts.
_ALLOWED = {"pipeline/base/assert.cpp": "a console"}


def check(tree):
    findings = []
    for path in tree.cpp():
        if not path.startswith("pipeline/") and not _DRIVER.match(path):
            continue
        code = tree.code(path)
        for pattern, what in _BANNED:
            if _ALLOWED.get(path) == what:
                continue
            for match in pattern.finditer(code):
                findings.append(f"{path}:{line_of(code, match.start())}: {match.group().strip()} is {what}")
    return findings
