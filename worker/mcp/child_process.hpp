// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that was started for its standard streams: in a process group of its own, with nothing
// of ours but the pipes and an environment that was given. Ends with the object, and so does all of
// its group. And the lines that come through its pipes. Control thread only.

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/tools/base/descriptor.hpp"

namespace ba::mcp {

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
  tools::Descriptor input;   ///< we write
  tools::Descriptor output;  ///< we read
  tools::Descriptor errors;  ///< we read
  tools::Descriptor ended;   ///< readable once it has ended

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  bool over_ = false;
  int status_ = 0;
};

/// PATH, HOME and LANG of this process, as far as they are set.
std::vector<std::pair<std::string, std::string>> inherited_environment();

/// Lines out of pieces of any size. One stream per object.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  /// Calls `take` for each whole line, without its end (LF or CRLF). False when a line is longer
  /// than is allowed: nothing more can be read.
  bool feed(std::string_view piece, const std::function<void(std::string_view)>& take);

 private:
  const std::size_t line_bytes_max_;
  std::string begun_;  ///< of a line that has no end yet
};

/// The same for text that may be cut: what is longer is given in a first part, and skipped on.
class CutLines {
 public:
  explicit CutLines(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}
  void feed(std::string_view piece, const std::function<void(std::string_view)>& take);

 private:
  const std::size_t line_bytes_max_;
  std::string begun_;
};

}  // namespace ba::mcp
