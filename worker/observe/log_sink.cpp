// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/log_sink.hpp"

#include <spdlog/details/log_msg.h>

#include <utility>

#include "worker/observe/log_line.hpp"

namespace ba {

LogSink::LogSink(LogOutput output, LogOutputState& state, MakeLine make_line,
                 std::function<std::int64_t()> overrun)
    : output_(std::move(output)),
      terminal_(output_.is_terminal()),
      state_(state),
      make_line_(std::move(make_line)),
      overrun_(std::move(overrun)) {}

void LogSink::log(const spdlog::details::log_msg& message) {
  reopen_if_asked();
  const std::string_view line(message.payload.data(), message.payload.size());
  if (say_what_was_lost() && write(line)) return;
  ++lost_;
  ++state_.lost;
}

/// Each line has left at once: there is only to say so.
void LogSink::flush() {
  ++state_.flushed;
  state_.flushed.notify_all();
}

void LogSink::reopen_if_asked() {
  const std::int64_t asked = state_.reopening;
  if (std::exchange(reopened_, asked) == asked) return;
  if (auto done = output_.reopen(); !done)
    write(make_line_(LogLevel::Error, "the log file can't be reopened",
                     {{"error", done.error().message}}));
}

bool LogSink::write(std::string_view line) {
  if (terminal_ || line.find('\x1b') == std::string_view::npos) return output_.write(line);
  return output_.write(without_colours(line));
}

/// False when the output still takes nothing.
bool LogSink::say_what_was_lost() {
  const std::int64_t overrun = overrun_();
  const std::int64_t lines = lost_ + overrun - overrun_said_;
  if (lines == 0) return true;
  const std::string why = lost_ > 0 ? output_.error() : "lines came faster than they were written";
  if (!write(make_line_(LogLevel::Warning, "log lines were lost",
                        {{"lines", lines}, {"output", output_.name()}, {"reason", why}})))
    return false;
  lost_ = 0;
  overrun_said_ = overrun;
  return true;
}

}  // namespace ba
