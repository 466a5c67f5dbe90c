// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/sandbox_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ba {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kX32Bit = 0x40000000;  // calls of the x32 kind have other numbers
constexpr std::uint32_t kNewNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                         CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

constexpr long kRefused[] = {
    // other processes
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd,
    SYS_process_madvise,
    // what is mounted where, and namespaces
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_unshare, SYS_setns,
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_fanotify_init, SYS_quotactl,
    // large parts of the kernel
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_io_uring_setup,
    SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_syslog, SYS_acct, SYS_swapon, SYS_swapoff, SYS_reboot,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname,
    SYS_setdomainname, SYS_vhangup, SYS_mbind, SYS_set_mempolicy, SYS_migrate_pages, SYS_move_pages,
#if defined(__x86_64__)
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_kexec_file_load,
#endif
    // memory that neither the address space nor the private files count
    SYS_memfd_create, SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_socketpair};

class Program {
 public:
  void load(std::size_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(std::uint32_t value) { add(BPF_STMT(BPF_RET | BPF_K, value)); }
  void answer_if(std::uint16_t test, std::uint32_t operand, std::uint32_t value) {
    add(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), operand, 0, 1));
    answer(value);
  }
  void answer_unless_equal(std::uint32_t operand, std::uint32_t value) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, operand, 1, 0));
    answer(value);
  }
  /// The next `count` instructions belong to this call only; the number is loaded.
  void only_for(long call, std::uint8_t count) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, count));
  }
  std::string bytes() const {
    return {reinterpret_cast<const char*>(code_.data()), code_.size() * sizeof(sock_filter)};
  }

 private:
  void add(sock_filter instruction) { code_.push_back(instruction); }
  std::vector<sock_filter> code_;
};

/// The lower half of an argument, where all flags looked at are (little endian).
std::size_t argument(int number) {
  return offsetof(seccomp_data, args) + sizeof(std::uint64_t) * static_cast<std::size_t>(number);
}

void check_arguments(Program& program) {
  program.only_for(SYS_clone, 4);
  program.load(argument(0));
  program.answer_if(BPF_JSET, kNewNamespaces, kRefuse);
  program.answer(SECCOMP_RET_ALLOW);
  program.only_for(SYS_ioctl, 6);
  program.load(argument(1));
  program.answer_if(BPF_JEQ, TIOCSTI, kRefuse);
  program.answer_if(BPF_JEQ, TIOCLINUX, kRefuse);
  program.answer(SECCOMP_RET_ALLOW);
}

}  // namespace

std::string sandbox_filter() {
  if (kArchitecture == 0) return {};
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.answer_unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  program.answer_if(BPF_JGE, kX32Bit, kRefuse);
#endif
  program.answer_if(BPF_JEQ, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  // What waits in a socket is the kernel's memory, which no limit counts; and nobody is there to
  // talk to.
  program.answer_if(BPF_JEQ, SYS_socket, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  for (const long call : kRefused)
    program.answer_if(BPF_JEQ, static_cast<std::uint32_t>(call), kRefuse);
  check_arguments(program);
  program.answer(SECCOMP_RET_ALLOW);
  return program.bytes();
}

}  // namespace ba
