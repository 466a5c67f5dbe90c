# SPDX-License-Identifier: Apache-2.0
"""What runs under virtual time has no clock, thread, socket, environment, file or random source: each of
these is a port. That is the core, and of the worker how it runs jobs and how it asks models."""

import re

from .source_tree import line_of

_PURE = ("pipeline/", "worker/driver/", "worker/http/", "worker/llm/", "worker/runtime/")
# What in these folders is the world itself: the process with its clock and executor, and HTTP.
_REAL = re.compile(
    r"worker/runtime/(?:asio_executor|run_worker|trace_exporter|parts/kafka_parts|parts/process_parts|parts/worker_basis)\.|"
    r"worker/http/curl_\w+\."
)

_BANNED = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        # By whatever alias; a member function's definition is none.
        (r"\b\w+\s*::\s*now\b(?!\s*\(\s*\)\s*const\b)", "a clock (take a Clock)"),
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
        if not path.startswith(_PURE) or _REAL.match(path):
            continue
        code = tree.code(path)
        for pattern, what in _BANNED:
            if _ALLOWED.get(path) == what:
                continue
            for match in pattern.finditer(code):
                findings.append(f"{path}:{line_of(code, match.start())}: {match.group().strip()} is {what}")
    return findings
