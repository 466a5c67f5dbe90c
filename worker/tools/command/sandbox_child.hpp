#pragma once
// SPDX-License-Identifier: Apache-2.0
// The process of bubblewrap, with what the worker holds of it: the other ends of its pipes. Ended
// and waited for at the latest when it is destroyed. Owned by one run; one thread, which must be
// there as long as the process is (it dies with its parent's thread).

#include <sys/types.h>

#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/tools/command/sandbox_arguments.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba {

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
  Descriptor outer_;  ///< pidfds
  Descriptor inner_;
  Descriptor out_;
  Descriptor err_;
  Descriptor info_;
  std::string info_text_;
};

}  // namespace ba
