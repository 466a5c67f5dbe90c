#pragma once
// SPDX-License-Identifier: Apache-2.0
// A program that was started for its standard streams: in a process group of its own, with nothing
// of ours but the pipes and an environment that was given. Ends with the object, and so does all of
// its group. Control thread only.

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba::mcp {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void close();

 private:
  int number_ = -1;
};

struct ChildCommand {
  std::vector<std::string> arguments;  ///< the program first; looked for in our PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< all of it
};

class ChildProcess {
 public:
  /// Our ends of its pipes don't block. InvalidArgument when there is no such program.
  static Result<ChildProcess> start(const ChildCommand& command);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  ///< SIGKILL to the group

  /// To the whole group.
  void signal(int number) const;
  /// True once it has ended and was waited for. Never blocks.
  bool reap();
  /// "exit code 1", "signal 9"; once it has ended.
  std::string how_it_ended() const;
  Descriptor input;   ///< we write
  Descriptor output;  ///< we read
  Descriptor errors;  ///< we read
  Descriptor ended;   ///< readable once it has ended

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  bool over_ = false;
  int status_ = 0;
};

/// PATH, HOME and LANG of this process, as far as they are set.
std::vector<std::pair<std::string, std::string>> inherited_environment();

}  // namespace ba::mcp
