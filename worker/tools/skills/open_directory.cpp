// SPDX-License-Identifier: Apache-2.0
// OpenDirectory of skill_directory.hpp.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "worker/tools/skills/skill_directory.hpp"

namespace ba::skills {
namespace {

constexpr std::size_t kEntriesMax = 10'000;
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Error failed(int number, const std::string& what) {
  Error error = invalid_argument(what + ": " + std::strerror(number));
  if (number == ENOENT) error.code = ErrorCode::NotFound;
  if (number == EACCES || number == EPERM || number == ELOOP)
    error.code = ErrorCode::PermissionDenied;
  return error;
}

DirectoryEntry entry_at(int directory, const char* name) {
  DirectoryEntry entry;
  entry.name = name;
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return entry;
  if (S_ISDIR(status.st_mode)) entry.kind = DirectoryEntry::Kind::Directory;
  if (S_ISREG(status.st_mode)) entry.kind = DirectoryEntry::Kind::File;
  entry.bytes = status.st_size;
  return entry;
}

Result<std::string> content_of(int file, std::int64_t bytes_max) {
  std::string content;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno, "can't be read");
    if (got == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(got));
    if (static_cast<std::int64_t>(content.size()) > bytes_max) {
      Error error = invalid_argument("is larger than " + std::to_string(bytes_max) + " bytes");
      error.code = ErrorCode::LimitExceeded;
      return error;
    }
  }
}

}  // namespace

Result<OpenDirectory> OpenDirectory::open(const std::string& path) {
  tools::Descriptor descriptor(::open(path.c_str(), kDirectoryFlags));
  if (!descriptor.valid()) return failed(errno, "can't open directory " + path);
  return OpenDirectory(std::move(descriptor));
}

std::vector<DirectoryEntry> OpenDirectory::entries() const {
  std::vector<DirectoryEntry> entries;
  // A descriptor of its own: fdopendir() takes it over, and each begins at the first entry.
  tools::Descriptor copy(openat(descriptor_.get(), ".", kDirectoryFlags));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(copy.get()), &closedir);
  if (!stream) return entries;
  copy.release();
  while (const dirent* entry = readdir(stream.get())) {
    if (entry->d_name[0] == '.') continue;
    if (entries.size() >= kEntriesMax) break;
    entries.push_back(entry_at(descriptor_.get(), entry->d_name));
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

Result<OpenDirectory> OpenDirectory::enter(const std::string& name) const {
  tools::Descriptor inner(openat(descriptor_.get(), name.c_str(), kDirectoryFlags | O_NOFOLLOW));
  if (!inner.valid()) return failed(errno, "can't be opened");
  return OpenDirectory(std::move(inner));
}

bool OpenDirectory::has_file(const std::string& name) const {
  return entry_at(descriptor_.get(), name.c_str()).kind == DirectoryEntry::Kind::File;
}

Result<std::string> OpenDirectory::read(const std::string& name, std::int64_t bytes_max) const {
  const tools::Descriptor file(openat(descriptor_.get(), name.c_str(),
                                      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file.valid())
    return errno == ELOOP ? failed(errno, "is a symbolic link, which is not followed")
                          : failed(errno, "can't be opened");
  struct stat status;
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return invalid_argument("is no regular file");
  return content_of(file.get(), bytes_max);
}

}  // namespace ba::skills
