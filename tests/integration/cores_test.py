# SPDX-License-Identifier: Apache-2.0
"""The memory of the program, which holds every secret, is not left behind in a core file; and what it
makes of its limits."""

import contextlib
import os
import re
import shutil
import signal

from case import Case
from drain_test import silent_server
from rig.processes import Process
from rig.stack import program
from rig.waiting import wait_until

# Each waits for a server that never says a word.
POSTGRES = ("BA_POSTGRES_URL", "postgresql://u:planted@{}/d")
KAFKA = ("BA_KAFKA_BROKERS", "{}")
WAITING = ((POSTGRES, ("job", "list")), (POSTGRES, ("doctor",)), (POSTGRES, ("migrate",)), (POSTGRES, ("worker",)),
           (KAFKA, ("results",)), (KAFKA, ("topics", "create")))


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def ends_with_a_core(process, number):
    """Whether the kernel wrote one when the signal ended the process."""
    process.signal(number)
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert ended.si_status == number, f"{process.name} ended with {ended}: {process.tail()}"
    return ended.si_code == os.CLD_DUMPED


@contextlib.contextmanager
def waiting_command(lab, deployment, setting, arguments, preparation):
    """A command in the middle of waiting for its server; `preparation` is bash, before it starts."""
    with silent_server() as (address, asked):
        env = deployment.environment_of_programs(*arguments) | {setting[0]: setting[1].format(address)}
        line = ["bash", "-c", f'{preparation} && exec "$@"', "bash", program("ba-agent"), *arguments]
        process = Process("-".join(arguments), line, f"{lab.folder}/{'-'.join(arguments)}.log", env)
        try:
            wait_until(asked, 20, process.tail)
            yield process
        finally:
            if process.exit_code is None:
                process.kill()


def no_command_leaves_a_core(lab):
    """Whatever it was doing with what it had read."""
    place = os.path.join(lab.folder, "cores")
    os.makedirs(place)
    with lab.deployment() as deployment:
        for setting, arguments in WAITING:
            with waiting_command(lab, deployment, setting, arguments, f'ulimit -c unlimited && cd "{place}"') as process:
                assert not ends_with_a_core(process, signal.SIGABRT), f"{arguments} left a core"
    assert not os.listdir(place), os.listdir(place)


def a_worker_may_open_what_the_system_allows(lab):
    """The soft limit of a shell is that of programs which use select()."""
    with lab.deployment() as deployment:
        with waiting_command(lab, deployment, POSTGRES, ("worker",), "ulimit -Sn 256") as process:
            limits = _text(f"/proc/{process.pid}/limits")
            soft, hard = re.search(r"^Max open files +(\S+) +(\S+)", limits, re.MULTILINE).groups()
            process.kill()
    assert hard != "256", "the hard limit of this machine is no more: nothing was tried"
    assert soft == hard, f"soft limit {soft}, hard limit {hard}"


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


CASES = [Case("a worker leaves no core unless it is allowed to", no_core_is_left),
         Case("no command leaves a core", no_command_leaves_a_core),
         Case("a worker may open as many files as the system allows", a_worker_may_open_what_the_system_allows)]
