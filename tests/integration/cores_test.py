# SPDX-License-Identifier: Apache-2.0
"""The memory of a worker, which holds every secret, is not left behind in a core file."""

import os
import shutil
import signal

from case import Case
from rig.processes import Process
from rig.waiting import wait_until


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def ends_with_a_core(process, number):
    """Whether the kernel wrote one when the signal ended the process."""
    process.signal(number)
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert ended.si_status == number, f"{process.name} ended with {ended}: {process.tail()}"
    return ended.si_code == os.CLD_DUMPED


def no_core_is_left(lab):
    """Whatever the limits say; only `core_dumps` allows it."""
    place = os.path.join(lab.folder, "cores")
    os.makedirs(place)
    in_place = f'ulimit -c unlimited && cd "{place}" && exec "$@"'
    try:
        sleeper = Process("sleeper", ["bash", "-c", in_place, "bash", "sleep", "600"], f"{lab.folder}/sleeper.log")
        wait_until(lambda: _text(f"/proc/{sleeper.pid}/comm") == "sleep\n", 10, sleeper.tail)
        assert ends_with_a_core(sleeper, signal.SIGABRT), (
            f"no process leaves a core here, core_pattern is {_text('/proc/sys/kernel/core_pattern')}")
        shutil.rmtree(place)
        os.makedirs(place)
        with lab.deployment() as deployment:
            for number, allowed in ((signal.SIGABRT, "false"), (signal.SIGSEGV, "false"), (signal.SIGABRT, "true")):
                worker = deployment.start_worker(through=in_place, env={"BA__OBSERVABILITY__CORE_DUMPS": allowed})
                deployment.wait_for_worker(worker)
                core = ends_with_a_core(worker, number)
                assert core == (allowed == "true"), f"core_dumps {allowed}, {number.name}: core {core}"
                assert core or not os.listdir(place), os.listdir(place)
    finally:
        shutil.rmtree(place)


CASES = [Case("a worker leaves no core unless it is allowed to", no_core_is_left)]
