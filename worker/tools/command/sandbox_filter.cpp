// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/sandbox_filter.hpp"

#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

constexpr std::uint32_t kRefuse = SCMP_ACT_ERRNO(EPERM);
constexpr scmp_datum_t kNewNamespaces[] = {CLONE_NEWUSER,  CLONE_NEWNS,  CLONE_NEWPID,
                                           CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
                                           CLONE_NEWCGROUP};

constexpr scmp_datum_t kLowerHalf = 0xffffffff;

/// Calls that an architecture doesn't have are passed over there.
constexpr int kRefused[] = {
    // other processes
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(process_madvise),
    // what is mounted where, and namespaces
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(open_tree),
    SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr), SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(name_to_handle_at),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(fanotify_init), SCMP_SYS(quotactl),
    // large parts of the kernel
    SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register), SCMP_SYS(userfaultfd), SCMP_SYS(init_module),
    SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load), SCMP_SYS(syslog),
    SCMP_SYS(acct), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(reboot), SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime), SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime), SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname), SCMP_SYS(vhangup), SCMP_SYS(mbind), SCMP_SYS(set_mempolicy),
    SCMP_SYS(migrate_pages), SCMP_SYS(move_pages), SCMP_SYS(iopl), SCMP_SYS(ioperm),
    SCMP_SYS(modify_ldt), SCMP_SYS(kexec_file_load),
    // memory that neither the address space nor the private files count
    SCMP_SYS(memfd_create), SCMP_SYS(shmget), SCMP_SYS(msgget), SCMP_SYS(semget), SCMP_SYS(mq_open),
    SCMP_SYS(socketpair)};

void add(const Filter& filter, std::uint32_t action, int call,
         std::initializer_list<scmp_arg_cmp> arguments = {}) {
  BA_ASSERT(seccomp_rule_add_array(filter.get(), action, call,
                                   static_cast<unsigned>(arguments.size()),
                                   arguments.begin()) == 0);
}

void check_arguments(const Filter& filter) {
  for (const scmp_datum_t flag : kNewNamespaces)
    add(filter, kRefuse, SCMP_SYS(clone), {{0, SCMP_CMP_MASKED_EQ, flag, flag}});
  // The kernel reads the lower half of a request alone, so whatever is in the upper one.
  for (const scmp_datum_t request : {TIOCSTI, TIOCLINUX})
    add(filter, kRefuse, SCMP_SYS(ioctl), {{1, SCMP_CMP_MASKED_EQ, kLowerHalf, request}});
}

/// The library writes into files alone. Empty: there is no file for it.
std::string program_of(const Filter& filter) {
  const int file = memfd_create("sandbox-filter", MFD_CLOEXEC);
  if (file < 0) return {};
  BA_ASSERT(seccomp_export_bpf(filter.get(), file) == 0);
  const off_t bytes = lseek(file, 0, SEEK_END);
  std::string program(static_cast<std::size_t>(bytes), '\0');
  BA_ASSERT(pread(file, program.data(), program.size(), 0) == bytes);
  close(file);
  return program;
}

}  // namespace

std::string sandbox_filter() {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  if (!filter) return {};
  BA_ASSERT(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0);
  add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  // What waits in a socket is the kernel's memory, which no limit counts; and nobody is there to
  // talk to.
  add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket));
  for (const int call : kRefused) add(filter, kRefuse, call);
  check_arguments(filter);
  return program_of(filter);
}

}  // namespace ba
