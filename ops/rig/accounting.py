# SPDX-License-Identifier: Apache-2.0
"""CPU time, memory, files and connections of processes, from /proc. CPU time is user and system."""

import os

_TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """(parent, own ticks, ticks of children that ended and were waited for), or None."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


def own_cpu_seconds(pid):
    """Of a process alone."""
    return _stat(pid)[1] / _TICKS


def cpu_seconds(pid):
    """Of a process, its living descendants, and those it has outlived."""
    stats = {int(name): _stat(name) for name in os.listdir("/proc") if name.isdigit()}
    stats = {other: stat for other, stat in stats.items() if stat is not None}
    if pid not in stats:
        raise AssertionError(f"process {pid} is gone")
    family, ticks = {pid}, 0
    grew = True
    while grew:
        children = {other for other, stat in stats.items() if stat[0] in family} - family
        family |= children
        grew = bool(children)
    for member in family:
        ticks += stats[member][1] + stats[member][2]
    return ticks / _TICKS


def memory_mib(pid):
    """Resident memory."""
    with open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def machine_cpu_seconds():
    """Of all processes of the machine since it started, ended ones too; without what its host took for others."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq = (int(ticks) for ticks in file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / _TICKS


def memory_gib_of_machine():
    with open("/proc/meminfo", encoding="ascii") as file:
        return int(file.readline().split()[1]) / (1 << 20)


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def connections_to(port):
    """Established TCP connections whose other end is this port of 127.0.0.1."""
    end = f"0100007F:{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as file:
        next(file)
        return sum(1 for line in file if line.split()[2:4] == [end, "01"])
