// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace ba::mcp {
namespace {

Error system_error(const std::string& what, int number) {
  Error error;
  error.code = number == ENOENT || number == EACCES || number == ENOEXEC
                   ? ErrorCode::InvalidArgument
                   : ErrorCode::Unavailable;
  error.retry = error.code == ErrorCode::Unavailable ? Retry::Later : Retry::Never;
  error.message = what + ": " + std::strerror(number);
  return error;
}

struct Pipe {
  tools::Descriptor read;
  tools::Descriptor write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("no pipe", errno);
  return Pipe{tools::Descriptor(ends[0]), tools::Descriptor(ends[1])};
}

void make_nonblocking(const tools::Descriptor& descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

/// Texts as the null-ended array of pointers that the C interface wants.
class TextArray {
 public:
  explicit TextArray(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// What the child is from its first moment on.
class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int errors) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    sigset_t every;
    sigset_t none;
    sigfillset(&every);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &every);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// By its number: the C library's header has no C++ linkage for it in every version.
int descriptor_of(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

std::vector<std::string> assignments(const ChildCommand& command) {
  std::vector<std::string> out;
  for (const auto& [name, value] : command.environment) out.push_back(name + "=" + value);
  return out;
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildCommand& command) {
  auto input = make_pipe();
  auto output = make_pipe();
  auto errors = make_pipe();
  if (!input) return input.error();
  if (!output) return output.error();
  if (!errors) return errors.error();
  const SpawnSettings settings(input->read.get(), output->write.get(), errors->write.get());
  const TextArray arguments(command.arguments);
  const TextArray environment(assignments(command));
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, command.arguments.front().c_str(), &settings.actions,
                                    &settings.attributes, arguments.data(), environment.data());
  if (failed != 0) return system_error("can't start '" + command.arguments.front() + "'", failed);
  ChildProcess child(pid);
  child.ended = tools::Descriptor(descriptor_of(pid));
  if (!child.ended.valid()) return system_error("can't watch a child", errno);
  child.input = std::move(input->write);
  child.output = std::move(output->read);
  child.errors = std::move(errors->read);
  for (const tools::Descriptor* end : {&child.input, &child.output, &child.errors})
    make_nonblocking(*end);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : input(std::move(other.input)),
      output(std::move(other.output)),
      errors(std::move(other.errors)),
      ended(std::move(other.ended)),
      pid_(std::exchange(other.pid_, 0)),
      over_(other.over_),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ == 0 || over_) return;
  signal(SIGKILL);
  ::waitpid(pid_, &status_, 0);
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

bool ChildProcess::reap() {
  siginfo_t ended{};
  if (over_ || ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      ended.si_pid != pid_)
    return over_;
  // What it left behind goes, too, as long as the number of the group can't be another's.
  signal(SIGKILL);
  over_ = ::waitpid(pid_, &status_, 0) == pid_;
  return over_;
}

std::string ChildProcess::how_it_ended() const {
  if (WIFSIGNALED(status_)) return "signal " + std::to_string(WTERMSIG(status_));
  return "exit code " + std::to_string(WEXITSTATUS(status_));
}

std::vector<std::pair<std::string, std::string>> inherited_environment() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* name : {"PATH", "HOME", "LANG"})
    if (const char* value = std::getenv(name)) out.emplace_back(name, value);
  return out;
}

bool LineSplitter::feed(std::string_view piece, const std::function<void(std::string_view)>& take) {
  for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
    if (begun_.size() + end > line_bytes_max_) return false;
    if (begun_.empty()) {
      take(without_return(piece.substr(0, end)));
    } else {
      begun_ += piece.substr(0, end);
      const std::string line = std::move(begun_);
      begun_.clear();
      take(without_return(line));
    }
    piece.remove_prefix(end + 1);
  }
  if (begun_.size() + piece.size() > line_bytes_max_) return false;
  begun_ += piece;
  return true;
}

void CutLines::feed(std::string_view piece, const std::function<void(std::string_view)>& take) {
  const auto add = [this](std::string_view part) {
    begun_ += part.substr(0, line_bytes_max_ - std::min(line_bytes_max_, begun_.size()));
  };
  for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
    add(piece.substr(0, end));
    const std::string line = std::move(begun_);
    begun_.clear();
    take(without_return(line));
    piece.remove_prefix(end + 1);
  }
  add(piece);
}

}  // namespace ba::mcp
