// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/rooted_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "pipeline/base/joined.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/repair_utf8.hpp"

namespace ba::files {
namespace {

constexpr std::size_t kPathMax = 1024;
constexpr std::size_t kPartMax = 255;
constexpr std::size_t kShownPath = 200;
constexpr std::size_t kDirectoryEntriesMax = 10000;
constexpr int kFileFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/// The given path in quotes, with what could disturb a reader replaced.
std::string quoted(std::string_view path) {
  std::string shown = cut_code_points(path, kShownPath);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return "'" + shown + "'";
}

Error error_of_errno(int number, std::string_view path) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return path_error(ErrorCode::NotFound, path, ": there is no such file");
    case ELOOP:
      return path_error(ErrorCode::PermissionDenied, path, ": symbolic links are not followed");
    case EXDEV:
      return path_error(ErrorCode::PermissionDenied, path,
                        ": the path leaves the configured directories");
    case ENAMETOOLONG:
      return path_error(ErrorCode::InvalidArgument, path, ": the path is too long");
    case EACCES:
    case EPERM:
    case ENXIO:  // a socket, or a pipe without a reader
      return path_error(ErrorCode::PermissionDenied, path, ": the file may not be read");
    default:
      return path_error(ErrorCode::Unavailable, path, ": the file can't be opened at the moment");
  }
}

/// Parts of a relative path; none when it is empty, absolute, or holds "..", NUL or a part that is
/// too long. "." and empty parts are dropped.
std::optional<std::vector<std::string>> parts_of(std::string_view path) {
  if (path.empty() || path.size() > kPathMax || path.front() == '/' ||
      path.find('\0') != std::string_view::npos)
    return std::nullopt;
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (part == ".." || part.size() > kPartMax) return std::nullopt;
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

int open_by_kernel(int directory, const std::string& path) {
  open_how how{};
  how.flags = kFileFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof(how)));
}

/// What the kernel says of a link in the middle of a path, where openat() says "not a directory".
int errno_at(int directory, const char* name, int number) {
  struct stat status;
  const bool link = number == ENOTDIR &&
                    fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISLNK(status.st_mode);
  return link ? ELOOP : number;
}

/// One part at a time, none of which is ".." or a link, so each step stays below the one before.
int open_by_walk(int directory, const std::vector<std::string>& parts) {
  tools::Descriptor inner;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const int outer = i == 0 ? directory : inner.get();
    tools::Descriptor next(
        openat(outer, parts[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) {
      errno = errno_at(outer, parts[i].c_str(), errno);
      return -1;
    }
    inner = std::move(next);
  }
  return openat(parts.size() == 1 ? directory : inner.get(), parts.back().c_str(), kFileFlags);
}

constexpr std::size_t kChunkBytes = 64 * 1024;

Result<std::string> content_of(int file, std::int64_t bytes_max, std::string_view path,
                               const std::function<bool()>& cancelled) {
  std::string content;
  std::unique_ptr<char[]> buffer = std::make_unique<char[]>(kChunkBytes);
  while (true) {
    if (cancelled && cancelled())
      return path_error(ErrorCode::Cancelled, path, ": nobody waits for it any more");
    const ssize_t count = ::read(file, buffer.get(), kChunkBytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return path_error(ErrorCode::Unavailable, path, ": the file can't be read at the moment");
    if (count == 0) return content;
    content.append(buffer.get(), static_cast<std::size_t>(count));
    if (static_cast<std::int64_t>(content.size()) > bytes_max)  // it grew while it was read
      return path_error(ErrorCode::LimitExceeded, path, ": the file is too large");
  }
}

struct Listed {
  std::vector<std::string> files;
  std::vector<std::string> directories;
};

/// One line of well-formed text: another name would break the line that tells it to a model, which
/// could not write it down, either.
bool can_be_told(std::string name) {
  return !repair_utf8(name) && std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
}

Listed entries_of(int directory, const std::string& prefix) {
  Listed listed;
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(copy < 0 ? nullptr : fdopendir(copy), closedir);
  for (std::size_t seen = 0; open && seen < kDirectoryEntriesMax; ++seen) {
    const dirent* entry = readdir(open.get());
    if (!entry) break;
    if (entry->d_name[0] == '.' || !can_be_told(entry->d_name)) continue;
    struct stat status;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(status.st_mode)) listed.files.push_back(prefix + entry->d_name);
    if (S_ISDIR(status.st_mode)) listed.directories.push_back(entry->d_name);
  }
  return listed;
}

}  // namespace

Error path_error(ErrorCode code, std::string_view path, const char* what) {
  Error value;
  value.code = code;
  value.retry = code == ErrorCode::Unavailable ? Retry::Later : Retry::Never;
  value.message = quoted(path) + what;
  return value;
}

std::vector<std::string> path_parts(std::string_view path) {
  return parts_of(path).value_or(std::vector<std::string>());
}

Result<void> checked_path(std::string_view path) {
  if (parts_of(path)) return {};
  if (path.size() > kPathMax)
    return path_error(ErrorCode::InvalidArgument, path, ": the path is too long");
  return path_error(ErrorCode::PermissionDenied, path,
                    ": not a path of a file below the configured directories");
}

Result<FileRoots> FileRoots::open(const std::vector<FileRootConfig>& roots, Resolution resolution) {
  FileRoots opened;
  opened.resolution_ = resolution;
  for (const FileRootConfig& root : roots) {
    tools::Descriptor directory(::open(root.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid())
      return invalid_argument("file root '" + root.name + "': " + root.path +
                              " is not a directory that can be read: " + std::strerror(errno));
    opened.roots_.push_back({root.name, std::move(directory)});
  }
  return opened;
}

Result<tools::Descriptor> FileRoots::open_below(std::string_view path) const {
  if (const Result<void> good = checked_path(path); !good) return good.error();
  auto parts = parts_of(path);
  auto root = std::ranges::find(roots_, parts->front(), &Root::name);
  if (root != roots_.end() && parts->size() > 1)
    parts->erase(parts->begin());
  else if (roots_.size() == 1)
    root = roots_.begin();
  else
    return path_error(ErrorCode::NotFound, path, ": there is no such file");
  const int number = resolution_ == Resolution::Kernel
                         ? open_by_kernel(root->directory.get(), joined(*parts, "/"))
                         : open_by_walk(root->directory.get(), *parts);
  // An old kernel has no openat2, a sandbox may forbid it.
  if (number < 0 && resolution_ == Resolution::Kernel && (errno == ENOSYS || errno == EPERM)) {
    tools::Descriptor walked(open_by_walk(root->directory.get(), *parts));
    if (walked.valid()) return walked;
  }
  if (number < 0) return error_of_errno(errno, path);
  return tools::Descriptor(number);
}

Result<std::string> FileRoots::read(std::string_view path, std::int64_t bytes_max,
                                    const std::function<bool()>& cancelled) const {
  const Result<tools::Descriptor> file = open_below(path);
  if (!file) return file.error();
  struct stat status;
  if (fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode))
    return path_error(ErrorCode::PermissionDenied, path, ": not a regular file");
  if (status.st_size > bytes_max)
    return path_error(ErrorCode::LimitExceeded, path,
                      (": the file has " + std::to_string(status.st_size) + " bytes; at most " +
                       std::to_string(bytes_max) + " are read")
                          .c_str());
  return content_of(file->get(), bytes_max, path, cancelled);
}

std::vector<std::string> FileRoots::list() const {
  std::vector<std::string> files;
  for (const Root& root : roots_) {
    const std::string prefix = roots_.size() > 1 ? root.name + "/" : "";
    const Listed top = entries_of(root.directory.get(), prefix);
    files.insert(files.end(), top.files.begin(), top.files.end());
    for (const std::string& name : top.directories) {
      const tools::Descriptor inner(openat(root.directory.get(), name.c_str(),
                                           O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      const Listed below = entries_of(inner.get(), prefix + name + "/");
      files.insert(files.end(), below.files.begin(), below.files.end());
      if (files.size() > kDirectoryEntriesMax) break;
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace ba::files
