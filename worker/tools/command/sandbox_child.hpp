// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command line of bubblewrap for one run, with the sealed files in memory that go with it; and
// its process, with what the worker holds of it: the other ends of its pipes. Ended and waited for
// at the latest when it is destroyed. Owned by one run; one thread, which must be there as long as
// the process is (it dies with its parent's thread).

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/tools/command/sandbox.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba::command {

/// The system calls that a sandboxed command may not make, as a seccomp program in the form that
/// bubblewrap reads. A wall behind the namespaces: what reaches far into the kernel, or out of
/// them.
///
/// Refused with EPERM: tracing and reading other processes; mounts, chroot, new namespaces; keys;
/// bpf, perf events, io_uring, userfaultfd; modules, kexec, clocks, swap; memory that no limit
/// counts (memfd, System V IPC, pairs of sockets); TIOCSTI and TIOCLINUX. Sockets are EAFNOSUPPORT,
/// clone3 is ENOSYS, so that libraries use clone, whose flags can be looked at. Calls of another
/// architecture, or of the x32 kind, kill the process. Unavailable, with the cause, where the list
/// can't be made as a whole: no memory or descriptor is left, or libseccomp doesn't know the
/// machine.
Result<std::string> sandbox_filter();

inline constexpr int kSandboxUser = 65534;  ///< nobody, inside; and outside when the worker is root
inline constexpr const char* kTemporaryDirectory = "/tmp";
inline constexpr const char* kWorkDirectory = "/box";
inline constexpr const char* kScriptsDirectory = "/skills";
inline constexpr int kInfoDescriptor = 3;  ///< where bubblewrap tells of its first process

struct SandboxArguments {
  std::vector<std::string> words;
  tools::Descriptor input;
  std::vector<tools::Descriptor> passed;  ///< to be descriptors 4, 5, … of bubblewrap
};

/// Readable from its begin, unchangeable. Invalid where memory or descriptors are short.
tools::Descriptor sealed_file(std::string_view content);

Result<SandboxArguments> sandbox_arguments(const CommandConfig& config, const SandboxOrder& order,
                                           std::string_view filter);

class SandboxChild {
 public:
  /// Has only the descriptors of the arguments, no environment, and no user of the worker's if that
  /// is root. Unavailable when it can't be started.
  static Result<SandboxChild> start(SandboxArguments arguments);
  SandboxChild(SandboxChild&& other) noexcept;
  SandboxChild& operator=(SandboxChild&&) = delete;
  ~SandboxChild();

  int out() const { return out_.get(); }
  int err() const { return err_.get(); }
  int info() const { return info_.get(); }
  /// Readable once bubblewrap is over, which is after the command.
  int ended() const { return outer_.get(); }

  /// Called when info() is readable: finds the first process inside. 0: not known (yet).
  pid_t read_info();
  pid_t inner() const { return inner_pid_; }
  /// Of one that ended: whether it came as far as to start the command.
  bool began() const { return info_text_.find("\"exit-code\"") != std::string::npos; }

  /// Ends everything inside: the kernel kills all of a process namespace with its first process.
  void kill();

  struct End {
    int status = 0;       ///< as waitpid() gives it
    Milliseconds cpu{0};  ///< of all that bubblewrap waited for: of the whole command, as a rule
  };
  /// Waits for its end, and until nothing of it is left.
  End wait();

 private:
  SandboxChild() = default;

  pid_t outer_pid_ = 0;  ///< 0: waited for
  pid_t inner_pid_ = 0;
  tools::Descriptor outer_;  ///< pidfds
  tools::Descriptor inner_;
  tools::Descriptor out_;
  tools::Descriptor err_;
  tools::Descriptor info_;
  std::string info_text_;
};

/// What a process and all below it take. Any thread.
struct TreeUse {
  std::int64_t memory_bytes = 0;  ///< resident and swapped; shared pages count for each process
  Milliseconds cpu{0};            ///< also of those that were waited for
};

/// Of a process and its descendants, from /proc. Those that end meanwhile count for nothing.
TreeUse use_of_tree(pid_t root);

/// How many files and directories the file systems of these directories hold, as that process sees
/// them. 0 for one that it doesn't have yet: still this process's, or not there.
std::int64_t files_seen_by(pid_t process, const std::vector<std::string>& directories);

}  // namespace ba::command
