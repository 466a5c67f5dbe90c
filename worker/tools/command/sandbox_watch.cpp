// SPDX-License-Identifier: Apache-2.0
// use_of_tree() and files_seen_by() of sandbox_child.hpp.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <sstream>

#include "worker/tools/command/sandbox_child.hpp"

namespace ba::command {
namespace {

constexpr std::size_t kProcessesMax = 100'000;

std::string first_bytes(const std::string& path) {
  std::array<char, 4096> buffer;
  const tools::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t count = file.valid() ? read(file.get(), buffer.data(), buffer.size()) : 0;
  return std::string(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
}

/// "VmRSS:     1234 kB" of a process's status.
std::int64_t kilobytes(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return 0;
  const std::size_t digit = status.find_first_of("0123456789", at + name.size());
  if (digit == std::string_view::npos) return 0;
  std::int64_t value = 0;
  std::from_chars(status.data() + digit, status.data() + status.size(), value);
  return value;
}

/// The fields utime, stime, cutime and cstime, 14 to 17, of a process's stat; the second, a name in
/// brackets, may hold anything.
Milliseconds cpu_of(const std::string& stat) {
  constexpr int kFieldsBetween = 11;
  std::istringstream fields(stat.substr(std::min(stat.rfind(')'), stat.size())));
  std::string passed;
  for (int i = 0; i <= kFieldsBetween; ++i) fields >> passed;
  std::int64_t ticks = 0;
  for (std::int64_t one = 0, i = 0; i < 4 && fields >> one; ++i) ticks += one;
  return Milliseconds(ticks * 1000 / sysconf(_SC_CLK_TCK));
}

void add_children(const std::string& process, std::vector<pid_t>& found) {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir((process + "/task").c_str()), closedir);
  while (const dirent* task = tasks ? readdir(tasks.get()) : nullptr) {
    if (task->d_name[0] == '.') continue;
    const std::string text = first_bytes(process + "/task/" + task->d_name + "/children");
    const char* at = text.data();
    const char* const end = at + text.size();
    pid_t child = 0;
    while (at < end) {
      const auto [next, problem] = std::from_chars(at, end, child);
      if (problem != std::errc()) break;
      found.push_back(child);
      at = next + 1;
    }
  }
}

}  // namespace

TreeUse use_of_tree(pid_t root) {
  TreeUse use;
  std::vector<pid_t> processes{root};
  for (std::size_t i = 0; i < processes.size() && i < kProcessesMax; ++i) {
    const std::string process = "/proc/" + std::to_string(processes[i]);
    const std::string status = first_bytes(process + "/status");
    use.memory_bytes += 1024 * (kilobytes(status, "VmRSS:") + kilobytes(status, "VmSwap:"));
    use.cpu += cpu_of(first_bytes(process + "/stat"));
    add_children(process, processes);
  }
  return use;
}

std::int64_t files_seen_by(pid_t process, const std::vector<std::string>& directories) {
  std::int64_t files = 0;
  for (const std::string& directory : directories) {
    struct stat theirs {};
    struct stat ours {};
    struct statvfs system {};
    const std::string seen = "/proc/" + std::to_string(process) + "/root" + directory;
    // Held while it is asked: in the middle of a sandbox's making, the same path leads from one
    // file system to another, of ours too.
    const tools::Descriptor place(open(seen.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!place.valid() || fstat(place.get(), &theirs) != 0 || fstatvfs(place.get(), &system) != 0)
      continue;
    if (stat(directory.c_str(), &ours) == 0 && ours.st_dev == theirs.st_dev) continue;
    files += static_cast<std::int64_t>(system.f_files - system.f_ffree);
  }
  return files;
}

}  // namespace ba::command
