#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where log lines go: a descriptor or a file, written whole lines at a time. A full disk, a closed
// descriptor or a broken pipe costs lines, never the process; a reader that stands still is waited
// for, as the queue before it is bounded. Owned by the log; write() and reopen() on one thread.

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"

namespace ba {

class LogOutput {
 public:
  /// `closing` outlives the output: once it is true, nobody is waited for longer than kPatience.
  LogOutput(std::string name, int descriptor, const std::atomic<bool>& closing);
  LogOutput(LogOutput&& other) noexcept;
  ~LogOutput();

  /// Appends; makes the file and its folder where they are missing.
  static Result<LogOutput> to_file(const std::string& path, const std::atomic<bool>& closing);

  /// The line and a line end; false when it could not be written: error() says why.
  bool write(std::string_view line);

  /// Opens the file of this name anew, after it was moved away. On failure it goes on as before.
  Result<void> reopen();

  const std::string& name() const { return name_; }
  bool is_terminal() const;
  std::string error() const;

  static constexpr Milliseconds kPatience{1'000};

 private:
  bool write_all(std::string_view bytes);
  bool wait_until_writable();

  std::string name_;
  std::string path_;  ///< empty: a descriptor of the process
  int descriptor_;
  bool may_block_;     ///< a pipe, a socket or a terminal
  bool torn_ = false;  ///< the last line was cut off
  int error_ = 0;
  const std::atomic<bool>& closing_;
  std::optional<SteadyTime> give_up_;
};

}  // namespace ba
