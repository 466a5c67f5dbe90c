// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/log_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/details/log_msg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "worker/observe/log_line.hpp"

namespace ba::observe {
namespace {

constexpr int kPollMs = 100;

bool can_block(int descriptor) {
  struct stat about {};
  return ::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode);
}

/// A pipe that nobody reads is refused, not waited for.
int open_to_append(const std::string& path) {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags | O_NONBLOCK, 0644);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFL, O_APPEND);
  return descriptor;
}

Error not_opened(const std::string& path, int code) {
  return invalid_argument("can't write the log to " + path + ": " + std::strerror(code));
}

}  // namespace

LogOutput::LogOutput(std::string name, int descriptor, const std::atomic<bool>& closing)
    : name_(std::move(name)),
      descriptor_(descriptor),
      may_block_(can_block(descriptor)),
      closing_(closing) {}

LogOutput::LogOutput(LogOutput&& other) noexcept
    : name_(std::move(other.name_)),
      path_(std::exchange(other.path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      may_block_(other.may_block_),
      closing_(other.closing_) {}

LogOutput::~LogOutput() {
  if (!path_.empty()) ::close(descriptor_);
}

Result<LogOutput> LogOutput::to_file(const std::string& path, const std::atomic<bool>& closing) {
  std::error_code ignored;  // opening says it better
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const int descriptor = open_to_append(path);
  if (descriptor < 0) return not_opened(path, errno);
  LogOutput output(path, descriptor, closing);
  output.path_ = path;
  return output;
}

bool LogOutput::is_terminal() const { return ::isatty(descriptor_) == 1; }

bool LogOutput::write(std::string_view line) {
  std::string bytes;
  bytes.reserve(line.size() + 2);
  if (torn_) bytes += '\n';
  bytes += line;
  bytes += '\n';
  return write_all(bytes);
}

Result<void> LogOutput::reopen() {
  if (path_.empty()) return {};
  const int descriptor = open_to_append(path_);
  if (descriptor < 0) return not_opened(path_, errno);
  ::close(std::exchange(descriptor_, descriptor));
  may_block_ = can_block(descriptor_);
  torn_ = false;
  return {};
}

std::string LogOutput::error() const { return std::strerror(error_); }

bool LogOutput::write_all(std::string_view bytes) {
  const std::size_t whole = bytes.size();
  while (!bytes.empty()) {
    if (may_block_ && !wait_until_writable()) break;
    // A pipe that can be written takes so much without blocking.
    const std::size_t piece =
        may_block_ ? std::min<std::size_t>(bytes.size(), PIPE_BUF) : bytes.size();
    const ssize_t written = ::write(descriptor_, bytes.data(), piece);
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      may_block_ = true;
    } else if (errno != EINTR) {
      error_ = errno;
      break;
    }
  }
  if (bytes.size() < whole) torn_ = !bytes.empty();
  return bytes.empty();
}

bool LogOutput::wait_until_writable() {
  for (;;) {
    if (closing_ && !give_up_) give_up_ = std::chrono::steady_clock::now() + kPatience;
    const bool last = give_up_ && std::chrono::steady_clock::now() >= *give_up_;
    pollfd waiting{descriptor_, POLLOUT, 0};
    const int ready = ::poll(&waiting, 1, last ? 0 : kPollMs);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // the write says what is wrong
    if (!last) continue;
    error_ = ETIMEDOUT;
    return false;
  }
}

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

}  // namespace ba::observe
