#pragma once
// SPDX-License-Identifier: Apache-2.0
// One output of the log as spdlog wants it: counts the lines it could not write and says so with
// the first line that gets through again, and takes colours off where nobody looks. Inside
// worker/observe; spdlog's writing thread.

#include <spdlog/sinks/sink.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "pipeline/core/port/log.hpp"
#include "worker/observe/log_output.hpp"

namespace ba {

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

}  // namespace ba
