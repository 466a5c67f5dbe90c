// SPDX-License-Identifier: Apache-2.0
// sandbox_filter() and sandbox_arguments() of sandbox_child.hpp.

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "worker/tools/command/sandbox_child.hpp"

namespace ba::command {
namespace {

using Words = std::vector<std::string>;

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

/// `number` is an errno, 0 where the library doesn't tell.
Error no_filter(const std::string& what, int number) {
  return make_error(ErrorCode::Unavailable,
                    "The sandbox for commands can't be had: its list of system calls can't be "
                    "made (" +
                        what + (number == 0 ? "" : ": " + std::generic_category().message(number)) +
                        "). Raise the limit if it is one of memory or open files (ulimit -v, -n), "
                        "and start the worker again");
}

/// Builds the list of system calls. After the first failure nothing is added: there is no list that
/// lacks a rule.
class FilterMaker {
 public:
  FilterMaker() : filter_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {
    if (!filter_) error_ = no_filter("no memory for it, or an unknown kind of machine", 0);
    // Else the library hides what the kernel says to it.
    set(SCMP_FLTATR_API_SYSRAWRC, 1);
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  }

  void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    if (error_) return;
    check("seccomp_rule_add",
          seccomp_rule_add_array(filter_.get(), action, call,
                                 static_cast<unsigned>(arguments.size()), arguments.begin()));
  }

  /// The library writes into files alone.
  Result<std::string> program() {
    if (error_) return *error_;
    const tools::Descriptor file(memfd_create("sandbox-filter", MFD_CLOEXEC));
    if (!file.valid()) return no_filter("memfd_create", errno);
    check("seccomp_export_bpf", seccomp_export_bpf(filter_.get(), file.get()));
    if (error_) return *error_;
    const off_t bytes = lseek(file.get(), 0, SEEK_END);
    if (bytes <= 0) return no_filter("lseek", bytes < 0 ? errno : 0);
    std::string program(static_cast<std::size_t>(bytes), '\0');
    const ssize_t got = pread(file.get(), program.data(), program.size(), 0);
    if (got != bytes) return no_filter("pread", got < 0 ? errno : 0);
    return program;
  }

 private:
  void set(scmp_filter_attr attribute, std::uint32_t value) {
    if (!error_) check("seccomp_attr_set", seccomp_attr_set(filter_.get(), attribute, value));
  }
  /// The library answers with 0 or a negative errno.
  void check(const char* what, int answer) {
    if (answer != 0) error_ = no_filter(what, -answer);
  }

  std::unique_ptr<void, decltype(&seccomp_release)> filter_;
  std::optional<Error> error_;  ///< the first
};

void check_arguments(FilterMaker& filter) {
  for (const scmp_datum_t flag : kNewNamespaces)
    filter.add(kRefuse, SCMP_SYS(clone), {{0, SCMP_CMP_MASKED_EQ, flag, flag}});
  // The kernel reads the lower half of a request alone, so whatever is in the upper one.
  for (const scmp_datum_t request : {TIOCSTI, TIOCLINUX})
    filter.add(kRefuse, SCMP_SYS(ioctl), {{1, SCMP_CMP_MASKED_EQ, kLowerHalf, request}});
}

constexpr int kFirstPassed = kInfoDescriptor + 1;

void add(Words& words, Words more) {
  for (std::string& word : more) words.push_back(std::move(word));
}

void add_namespaces(Words& words) {
  const std::string user = std::to_string(kSandboxUser);
  add(words, {"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net"});
  add(words, {"--unshare-uts", "--unshare-cgroup-try", "--disable-userns"});
  add(words, {"--uid", user, "--gid", user, "--hostname", "sandbox"});
  add(words, {"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"});
  add(words, {"--json-status-fd", std::to_string(kInfoDescriptor)});
}

/// /usr, and what of the top directories is a link into it (or a directory, on older systems).
void add_programs(Words& words) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const std::string name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
    struct stat status;
    if (lstat(("/" + name).c_str(), &status) != 0) continue;
    if (S_ISLNK(status.st_mode))
      add(words, {"--symlink", "usr/" + name, "/" + name});
    else
      add(words, {"--ro-bind", "/" + name, "/" + name});
  }
  add(words, {"--ro-bind-try", "/etc/alternatives", "/etc/alternatives"});  // links, into /usr
}

void add_devices(Words& words) {
  add(words, {"--dir", "/dev"});
  for (const std::string name : {"null", "zero", "full", "random", "urandom"})
    add(words, {"--dev-bind", "/dev/" + name, "/dev/" + name});
  add(words, {"--symlink", "/proc/self/fd", "/dev/fd", "--proc", "/proc"});
}

void add_private_directories(Words& words, std::int64_t bytes_max) {
  const std::string size = std::to_string(bytes_max);
  add(words, {"--perms", "1777", "--size", size, "--tmpfs", kTemporaryDirectory});
  add(words, {"--perms", "0700", "--size", size, "--tmpfs", kWorkDirectory});
}

void add_environment(Words& words) {
  add(words, {"--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/box", "--setenv", "TMPDIR",
              "/tmp", "--setenv", "LANG", "C.UTF-8", "--chdir", "/box", "--remount-ro", "/"});
}

/// Limits are set inside: there, processes are counted for this sandbox alone. Who has used up its
/// CPU time hears SIGXCPU, which says why it ended, and a second later SIGKILL.
void add_limits(Words& words, const CommandConfig& config) {
  const auto limit = [](const char* name, std::int64_t value, int grace = 0) {
    return std::string("--") + name + "=" + std::to_string(value) + ":" +
           std::to_string(value + grace);
  };
  add(words, {"--", "/usr/bin/prlimit", limit("core", 0), limit("cpu", config.cpu_seconds_max, 1),
              limit("as", config.memory_bytes_max), limit("fsize", config.disk_bytes_max),
              limit("nofile", config.open_files_max), limit("nproc", config.processes_max)});
}

Error out_of_memory() {
  Error error;
  error.code = ErrorCode::LimitExceeded;
  error.retry = Retry::Later;
  error.message = "no memory or descriptors for the command's input";
  return error;
}

}  // namespace

Result<std::string> sandbox_filter() {
  FilterMaker filter;
  filter.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  // What waits in a socket is the kernel's memory, which no limit counts; and nobody is there to
  // talk to.
  filter.add(SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket));
  for (const int call : kRefused) filter.add(kRefuse, call);
  check_arguments(filter);
  return filter.program();
}

tools::Descriptor sealed_file(std::string_view content) {
  tools::Descriptor file(memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (file.valid() && !content.empty()) {
    const ssize_t written = write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return tools::Descriptor();
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!file.valid() || lseek(file.get(), 0, SEEK_SET) != 0) return tools::Descriptor();
  const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (fcntl(file.get(), F_ADD_SEALS, seals) != 0) return tools::Descriptor();
  return file;
}

Result<SandboxArguments> sandbox_arguments(const CommandConfig& config, const SandboxOrder& order,
                                           std::string_view filter) {
  SandboxArguments made;
  bool good = true;
  const auto pass = [&](std::string_view content) {
    made.passed.push_back(sealed_file(content));
    good = good && made.passed.back().valid();
    return std::to_string(kFirstPassed + static_cast<int>(made.passed.size()) - 1);
  };
  made.input = sealed_file(order.input);
  good = made.input.valid();
  Words& words = made.words;
  words.push_back(config.bubblewrap);
  add_namespaces(words);
  add(words, {"--seccomp", pass(filter)});
  add_programs(words);
  const std::string user = std::to_string(kSandboxUser);
  add(words, {"--file", pass("nobody:x:" + user + ":" + user + "::/box:/bin/sh\n"), "/etc/passwd"});
  add(words, {"--file", pass("nogroup:x:" + user + ":\n"), "/etc/group"});
  add_devices(words);
  add_private_directories(words, config.disk_bytes_max);
  for (const auto& [name, content] : order.files)
    add(words, {"--perms", "0644", "--file", pass(content), "/box/" + name});
  for (const auto& [name, content] : order.scripts)  // before all of it becomes read-only
    add(words,
        {"--perms", "0555", "--file", pass(content), std::string(kScriptsDirectory) + "/" + name});
  add_environment(words);
  add_limits(words, config);
  add(words, {"--", "/bin/sh", "-c", "--", order.command});
  if (!good) return out_of_memory();
  return made;
}

}  // namespace ba::command
