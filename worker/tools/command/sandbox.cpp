// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/sandbox.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "worker/tools/command/sandbox_child.hpp"

namespace ba::command {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Milliseconds kLook{25};  ///< between two looks at memory and files
constexpr std::size_t kChunkBytes = 64 * 1024;

/// One run: waits for output, the end, the time, the cancellation, and looks at what it takes.
class Supervision {
 public:
  Supervision(SandboxChild child, const CommandConfig& config, const SandboxOrder& order,
              const tools::Cancellation& cancellation)
      : child_(std::move(child)),
        config_(config),
        timeout_(order.timeout),
        cancellation_(cancellation) {}

  SandboxOutcome run() {
    std::optional<SandboxEnd> ended;
    while (!(ended = step())) {
    }
    if (*ended != SandboxEnd::Exited) child_.kill();
    const auto [status, cpu] = child_.wait();
    outcome_.cpu = std::max(outcome_.cpu, cpu);
    drain();
    outcome_.end = *ended;
    outcome_.duration = elapsed();
    outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (over_output()) cut();
    return std::move(outcome_);
  }

  bool began() const { return child_.began(); }

 private:
  Milliseconds elapsed() const {
    return std::chrono::duration_cast<Milliseconds>(SteadyClock::now() - began_);
  }

  std::optional<SandboxEnd> step() {
    std::array<pollfd, 5> look{{{child_.ended(), POLLIN, 0},
                                {child_.out(), POLLIN, 0},
                                {child_.err(), POLLIN, 0},
                                {child_.info(), POLLIN, 0},
                                {cancellation_.descriptor(), POLLIN, 0}}};
    if (out_closed_) look[1].fd = -1;
    if (err_closed_) look[2].fd = -1;
    const Milliseconds left = std::max(Milliseconds(0), timeout_ - elapsed());
    poll(look.data(), look.size(), static_cast<int>(std::min(left, kLook).count()));
    if (cancellation_.cancelled()) return SandboxEnd::Cancelled;
    if (look[3].revents != 0) child_.read_info();
    if (look[1].revents != 0) out_closed_ = take(child_.out(), outcome_.out);
    if (look[2].revents != 0) err_closed_ = take(child_.err(), outcome_.err);
    if (over_output()) return SandboxEnd::OutputLimit;
    if (look[0].revents != 0) return SandboxEnd::Exited;
    if (elapsed() >= timeout_) return SandboxEnd::Timeout;
    return watch();
  }

  std::optional<SandboxEnd> watch() {
    if (child_.inner() == 0 || SteadyClock::now() < next_look_) return std::nullopt;
    const TreeUse use = use_of_tree(child_.inner());
    next_look_ = SteadyClock::now() + kLook;
    outcome_.memory_peak_bytes = std::max(outcome_.memory_peak_bytes, use.memory_bytes);
    outcome_.cpu = std::max(outcome_.cpu, use.cpu);
    if (use.memory_bytes > config_.memory_bytes_max) return SandboxEnd::MemoryLimit;
    if (files_seen_by(child_.inner(), {kTemporaryDirectory, kWorkDirectory}) > config_.files_max)
      return SandboxEnd::FilesLimit;
    return std::nullopt;
  }

  /// Takes one piece; true when there will be no more.
  static bool take(int pipe, std::string& text) {
    std::array<char, kChunkBytes> buffer;
    const ssize_t count = read(pipe, buffer.data(), buffer.size());
    if (count < 0) return errno != EAGAIN && errno != EINTR;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    return count == 0;
  }

  bool over_output() const {
    const auto most = static_cast<std::size_t>(config_.output_bytes_max);
    return outcome_.out.size() > most || outcome_.err.size() > most;
  }

  /// A command that wrote too much and was over before that was seen has reached the limit as well.
  void cut() {
    const auto most = static_cast<std::size_t>(config_.output_bytes_max);
    outcome_.out.resize(std::min(outcome_.out.size(), most));
    outcome_.err.resize(std::min(outcome_.err.size(), most));
    if (outcome_.end == SandboxEnd::Exited) outcome_.end = SandboxEnd::OutputLimit;
  }

  /// What stands in the pipes after the end: nobody writes any more.
  void drain() {
    const auto rest = [&](int pipe, std::string& text) {
      for (std::size_t before = text.size() + 1; before != text.size() && !over_output();) {
        before = text.size();
        if (take(pipe, text)) return;
      }
    };
    if (!out_closed_) rest(child_.out(), outcome_.out);
    if (!err_closed_) rest(child_.err(), outcome_.err);
  }

  SandboxChild child_;
  const CommandConfig& config_;
  const Milliseconds timeout_;
  const tools::Cancellation& cancellation_;
  const SteadyClock::time_point began_ = SteadyClock::now();
  SteadyClock::time_point next_look_ = began_;
  bool out_closed_ = false;
  bool err_closed_ = false;
  SandboxOutcome outcome_;
};

Error unavailable(std::string reason) {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.message = "The sandbox for commands can't be had: " + std::move(reason) +
                  ". Install bubblewrap 0.8, and allow user namespaces to ordinary users "
                  "(sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone 1 "
                  "where there is one)";
  return error;
}

std::string first_line(const std::string& text) {
  constexpr std::size_t kShown = 200;
  return text.substr(0, std::min(text.find('\n'), kShown));
}

}  // namespace

Sandbox::Sandbox(CommandConfig config) : config_(std::move(config)), filter_(sandbox_filter()) {}

Result<SandboxOutcome> Sandbox::run(const SandboxOrder& order,
                                    const tools::Cancellation& cancellation) const {
  if (!filter_) return filter_.error();
  if (access(config_.bubblewrap.c_str(), X_OK) != 0)
    return unavailable("there is no program " + config_.bubblewrap);
  auto arguments = sandbox_arguments(config_, order, *filter_);
  if (!arguments) return arguments.error();
  auto child = SandboxChild::start(std::move(*arguments));
  if (!child) return child.error();
  Supervision supervision(std::move(*child), config_, order, cancellation);
  SandboxOutcome outcome = supervision.run();
  if (outcome.end == SandboxEnd::Exited && !supervision.began())
    return unavailable(first_line(outcome.err));
  return outcome;
}

Result<void> Sandbox::self_test() const {
  SandboxOrder order;
  order.command = "true";
  const tools::Cancellation never;
  const auto outcome = run(order, never);
  if (!outcome) return outcome.error();
  if (outcome->end == SandboxEnd::Exited && outcome->exit_code == 0) return {};
  if (outcome->end == SandboxEnd::Timeout) return unavailable("`true` took ten seconds in it");
  return unavailable("`true` failed in it: " + first_line(outcome->err));
}

}  // namespace ba::command
