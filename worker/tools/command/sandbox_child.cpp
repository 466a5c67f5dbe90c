// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/sandbox_child.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>

namespace ba::command {
namespace {

constexpr int kDeathWaitMs = 10'000;
constexpr int kStartWaitMs = 200;
constexpr int kStartWaitsMax = 10;
constexpr int kCannotStart = 127;
constexpr std::size_t kInfoBytesMax = 4096;
constexpr int kInfoPiecesMax = 16;

struct Pipe {
  tools::Descriptor read;
  tools::Descriptor write;

  bool open() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = tools::Descriptor(ends[0]);
    write = tools::Descriptor(ends[1]);
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

Error cannot_start(const std::string& what, int number) {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.retry = Retry::Later;
  error.message = what + ": " + std::strerror(number);
  return error;
}

/// Between fork and exec, in a copy of a process with threads: system calls only.
class Leap {
 public:
  Leap(const SandboxArguments& arguments, const std::vector<int>& descriptors)
      : descriptors_(descriptors), raised_(descriptors.size()) {
    for (const std::string& word : arguments.words)
      words_.push_back(const_cast<char*>(word.data()));
    words_.push_back(nullptr);
  }

  [[noreturn]] void jump() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    prefer_to_be_killed();
    if (place_descriptors() && become_nobody() && die_with_parent())
      execve(words_[0], words_.data(), environment_);
    _exit(kCannotStart);
  }

 private:
  /// When the machine runs out of memory, the command goes before the worker.
  static void prefer_to_be_killed() {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    [[maybe_unused]] const auto written = write(file, "1000", 4);
    close(file);
  }

  bool place_descriptors() {
    const int count = static_cast<int>(descriptors_.size());
    for (std::size_t i = 0; i < raised_.size(); ++i)
      if ((raised_[i] = fcntl(descriptors_[i], F_DUPFD, count)) < 0) return false;
    for (int i = 0; i < count; ++i)
      if (dup2(raised_[static_cast<std::size_t>(i)], i) < 0) return false;
    return syscall(SYS_close_range, count, ~0U, 0) == 0;
  }

  static bool become_nobody() {
    if (geteuid() != 0) return true;
    return setgroups(0, nullptr) == 0 && setresgid(kSandboxUser, kSandboxUser, kSandboxUser) == 0 &&
           setresuid(kSandboxUser, kSandboxUser, kSandboxUser) == 0;
  }

  /// Bubblewrap sees to it as well, but later. Last: a change of the user forgets it.
  bool die_with_parent() const {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent_;
  }

  const pid_t parent_ = getpid();
  const std::vector<int>& descriptors_;  ///< to be 0, 1, 2, …
  std::vector<int> raised_;
  std::vector<char*> words_;
  char* environment_[1] = {nullptr};
};

Milliseconds of(const timeval& time) {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::seconds(time.tv_sec) +
                                                  std::chrono::microseconds(time.tv_usec));
}

SandboxChild::End reap(pid_t pid) {
  SandboxChild::End end;
  rusage used{};
  while (wait4(pid, &end.status, 0, &used) < 0 && errno == EINTR) {
  }
  end.cpu = of(used.ru_utime) + of(used.ru_stime);
  return end;
}

void wait_until_readable(int pidfd, int milliseconds) {
  pollfd look{pidfd, POLLIN, 0};
  while (pidfd >= 0 && poll(&look, 1, milliseconds) < 0 && errno == EINTR) {
  }
}

tools::Descriptor pidfd_of(pid_t pid) {
  return tools::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

Result<SandboxChild> SandboxChild::start(SandboxArguments arguments) {
  Pipe out;
  Pipe err;
  Pipe info;
  if (!out.open() || !err.open() || !info.open()) return cannot_start("no pipes", errno);
  std::vector<int> descriptors{arguments.input.get(), out.write.get(), err.write.get(),
                               info.write.get()};
  for (const tools::Descriptor& file : arguments.passed) descriptors.push_back(file.get());
  Leap leap(arguments, descriptors);
  const pid_t pid = fork();
  if (pid < 0) return cannot_start("no further process", errno);
  if (pid == 0) leap.jump();
  SandboxChild child;
  child.outer_pid_ = pid;
  child.outer_ = pidfd_of(pid);
  if (!child.outer_.valid()) return cannot_start("pidfd_open", errno);
  child.out_ = std::move(out.read);
  child.err_ = std::move(err.read);
  child.info_ = std::move(info.read);
  return child;
}

SandboxChild::SandboxChild(SandboxChild&& other) noexcept
    : outer_pid_(std::exchange(other.outer_pid_, 0)),
      inner_pid_(std::exchange(other.inner_pid_, 0)),
      outer_(std::move(other.outer_)),
      inner_(std::move(other.inner_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      info_(std::move(other.info_)),
      info_text_(std::move(other.info_text_)) {}

SandboxChild::~SandboxChild() {
  if (outer_pid_ == 0) return;
  kill();
  wait();
}

pid_t SandboxChild::read_info() {
  std::array<char, 512> buffer;
  const ssize_t count = read(info_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return inner_pid_;
  if (count > 0 && info_text_.size() < kInfoBytesMax)
    info_text_.append(buffer.data(), static_cast<std::size_t>(count));
  if (count <= 0) info_ = tools::Descriptor();
  constexpr std::string_view kKey = "\"child-pid\":";
  const std::size_t at = info_text_.find(kKey);
  const std::size_t digit =
      at == std::string::npos ? at : info_text_.find_first_of("0123456789", at + kKey.size());
  if (inner_pid_ != 0 || digit == std::string::npos) return inner_pid_;
  const std::size_t end = info_text_.find_first_not_of("0123456789", digit);
  if (end == std::string::npos) return 0;  // there may be more of the number
  pid_t pid = 0;
  std::from_chars(info_text_.data() + digit, info_text_.data() + end, pid);
  inner_ = pidfd_of(pid);
  return inner_pid_ = pid;
}

void SandboxChild::kill() {
  // It is named right after it came to be; until it has set that it dies with bubblewrap, killing
  // that alone could leave it behind.
  for (int wait = 0; wait < kStartWaitsMax && inner_pid_ == 0 && info_.valid(); ++wait) {
    wait_until_readable(info_.get(), kStartWaitMs);
    read_info();
  }
  if (inner_.valid()) syscall(SYS_pidfd_send_signal, inner_.get(), SIGKILL, nullptr, 0);
  // Which ends by itself after that; if not, or if it was still preparing, it takes all with it.
  if (inner_.valid()) wait_until_readable(outer_.get(), 1000);
  if (outer_pid_ != 0) ::kill(outer_pid_, SIGKILL);
}

SandboxChild::End SandboxChild::wait() {
  const End end = reap(outer_pid_);
  outer_pid_ = 0;
  for (int piece = 0; piece < kInfoPiecesMax && info_.valid(); ++piece) read_info();
  wait_until_readable(inner_.get(), kDeathWaitMs);
  // Bubblewrap needn't have waited for it; where this process is the first, or adopts, it is ours.
  siginfo_t unused;
  if (inner_.valid())
    waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(inner_.get()), &unused,
           WEXITED | WNOHANG);
  return end;
}

}  // namespace ba::command
