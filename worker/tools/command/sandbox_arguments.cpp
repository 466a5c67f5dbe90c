// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/sandbox_arguments.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ba {
namespace {

using Words = std::vector<std::string>;

constexpr int kFirstPassed = kInfoDescriptor + 1;

void add(Words& words, Words more) {
  for (std::string& word : more) words.push_back(std::move(word));
}

void add_namespaces(Words& words) {
  const std::string user = std::to_string(kSandboxUser);
  add(words, {"--unshare-user",
              "--unshare-ipc",
              "--unshare-pid",
              "--unshare-net",
              "--unshare-uts",
              "--unshare-cgroup-try",
              "--disable-userns",
              "--uid",
              user,
              "--gid",
              user,
              "--hostname",
              "sandbox",
              "--die-with-parent",
              "--new-session",
              "--cap-drop",
              "ALL",
              "--clearenv",
              "--json-status-fd",
              std::to_string(kInfoDescriptor)});
}

/// /usr, and what of the top directories is a link into it (or a directory, on older systems).
void add_programs(Words& words) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const std::string name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
    struct stat status;
    if (lstat(("/" + name).c_str(), &status) != 0) continue;
    if (S_ISLNK(status.st_mode))
      add(words, {"--symlink", "usr/" + name, "/" + name});
    else
      add(words, {"--ro-bind", "/" + name, "/" + name});
  }
  add(words, {"--ro-bind-try", "/etc/alternatives", "/etc/alternatives"});  // links, into /usr
}

void add_devices(Words& words) {
  add(words, {"--dir", "/dev"});
  for (const std::string name : {"null", "zero", "full", "random", "urandom"})
    add(words, {"--dev-bind", "/dev/" + name, "/dev/" + name});
  add(words, {"--symlink", "/proc/self/fd", "/dev/fd", "--proc", "/proc"});
}

void add_private_directories(Words& words, std::int64_t bytes_max) {
  const std::string size = std::to_string(bytes_max);
  add(words, {"--perms", "1777", "--size", size, "--tmpfs", kTemporaryDirectory});
  add(words, {"--perms", "0700", "--size", size, "--tmpfs", kWorkDirectory});
}

void add_environment(Words& words) {
  add(words, {"--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/box", "--setenv", "TMPDIR",
              "/tmp", "--setenv", "LANG", "C.UTF-8", "--chdir", "/box", "--remount-ro", "/"});
}

/// Limits are set inside: there, processes are counted for this sandbox alone. Who has used up its
/// CPU time hears SIGXCPU, which says why it ended, and a second later SIGKILL.
void add_limits(Words& words, const CommandConfig& config) {
  const auto limit = [](const char* name, std::int64_t value, int grace = 0) {
    return std::string("--") + name + "=" + std::to_string(value) + ":" +
           std::to_string(value + grace);
  };
  add(words, {"--", "/usr/bin/prlimit", limit("core", 0), limit("cpu", config.cpu_seconds_max, 1),
              limit("as", config.memory_bytes_max), limit("fsize", config.disk_bytes_max),
              limit("nofile", config.open_files_max), limit("nproc", config.processes_max)});
}

Error out_of_memory() {
  Error error;
  error.code = ErrorCode::LimitExceeded;
  error.retry = Retry::Later;
  error.message = "no memory or descriptors for the command's input";
  return error;
}

}  // namespace

Descriptor sealed_file(std::string_view content) {
  Descriptor file(memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (file.valid() && !content.empty()) {
    const ssize_t written = write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Descriptor();
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!file.valid() || lseek(file.get(), 0, SEEK_SET) != 0) return Descriptor();
  const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (fcntl(file.get(), F_ADD_SEALS, seals) != 0) return Descriptor();
  return file;
}

Result<SandboxArguments> sandbox_arguments(const CommandConfig& config, const SandboxOrder& order,
                                           std::string_view filter) {
  SandboxArguments made;
  bool good = true;
  const auto pass = [&](std::string_view content) {
    made.passed.push_back(sealed_file(content));
    good = good && made.passed.back().valid();
    return std::to_string(kFirstPassed + static_cast<int>(made.passed.size()) - 1);
  };
  made.input = sealed_file(order.input);
  good = made.input.valid();
  Words& words = made.words;
  words.push_back(config.bubblewrap);
  add_namespaces(words);
  add(words, {"--seccomp", pass(filter)});
  add_programs(words);
  const std::string user = std::to_string(kSandboxUser);
  add(words, {"--file", pass("nobody:x:" + user + ":" + user + "::/box:/bin/sh\n"), "/etc/passwd"});
  add(words, {"--file", pass("nogroup:x:" + user + ":\n"), "/etc/group"});
  add_devices(words);
  add_private_directories(words, config.disk_bytes_max);
  for (const auto& [name, content] : order.files)
    add(words, {"--perms", "0644", "--file", pass(content), "/box/" + name});
  for (const auto& [name, content] : order.scripts)  // before all of it becomes read-only
    add(words,
        {"--perms", "0555", "--file", pass(content), std::string(kScriptsDirectory) + "/" + name});
  add_environment(words);
  add_limits(words, config);
  add(words, {"--", "/bin/sh", "-c", "--", order.command});
  if (!good) return out_of_memory();
  return made;
}

}  // namespace ba
