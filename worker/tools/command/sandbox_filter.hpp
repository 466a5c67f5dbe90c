#pragma once
// SPDX-License-Identifier: Apache-2.0
// The system calls that a sandboxed command may not make, as a seccomp program in the form that
// bubblewrap reads. A wall behind the namespaces: what reaches far into the kernel, or out of them.
// Any thread.

#include <string>

namespace ba {

/// Refused with EPERM: tracing and reading other processes; mounts, chroot, new namespaces; keys;
/// bpf, perf events, io_uring, userfaultfd; modules, kexec, clocks, swap; memory that no limit
/// counts (memfd, System V IPC, pairs of sockets); TIOCSTI and TIOCLINUX. Sockets are EAFNOSUPPORT,
/// clone3 is ENOSYS, so that libraries use clone, whose flags can be looked at. Calls of another
/// architecture, or of the x32 kind, kill the process. Empty where libseccomp knows nothing of the
/// machine, or no file is left for it.
std::string sandbox_filter();

}  // namespace ba
