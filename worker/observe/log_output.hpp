#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where log lines go: a descriptor or a file, written whole lines at a time. A full disk, a closed
// descriptor or a broken pipe costs lines, never the process; a reader that stands still is waited
// for, as the queue before it is bounded. Owned by the log; write() and reopen() on one thread.

#include <spdlog/sinks/sink.h>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/port/log.hpp"

namespace ba::observe {

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

// One output of the log as spdlog wants it: counts the lines it could not write and says so with
// the first line that gets through again, and takes colours off where nobody looks. Inside
// worker/observe; spdlog's writing thread.

/// What the outputs share with the log that owns them.
struct LogOutputState {
  std::atomic<bool> closing{false};
  std::atomic<std::int64_t> lost{0};       ///< lines that no write took
  std::atomic<std::int64_t> reopening{0};  ///< how often reopening was asked for
  std::atomic<std::int64_t> flushed{0};    ///< how often an output had written what came before
};

class LogSink final : public spdlog::sinks::sink {
 public:
  /// Makes a line of its own: level, text and fields as the log writes them.
  using MakeLine =
      std::function<std::string(LogLevel, std::string_view, std::initializer_list<LogField>)>;

  /// `overrun` counts the lines that gave way in the queue. All references outlive the sink.
  LogSink(LogOutput output, LogOutputState& state, MakeLine make_line,
          std::function<std::int64_t()> overrun);

  void log(const spdlog::details::log_msg& message) override;
  void flush() override;
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  void reopen_if_asked();
  bool say_what_was_lost();
  bool write(std::string_view line);

  LogOutput output_;
  const bool terminal_;
  LogOutputState& state_;
  const MakeLine make_line_;
  const std::function<std::int64_t()> overrun_;
  std::int64_t lost_ = 0;  ///< here, and not yet said
  std::int64_t overrun_said_ = 0;
  std::int64_t reopened_ = 0;
};

}  // namespace ba::observe
