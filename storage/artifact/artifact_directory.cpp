// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact/artifact_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

namespace ba::storage {
namespace {

constexpr std::string_view kUnfinished = "new-";  ///< begins the names of files being written
constexpr std::size_t kNameMax = 128;

/// Closed when it goes; what a crash of the machine may lose was synced before.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

/// Without the path: it is no one's business but the operator's, who has configured it.
Error failure(const std::string& what, int number) {
  Error error;
  const bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  error.code = full ? ErrorCode::LimitExceeded : ErrorCode::Unavailable;
  if (number == ENOENT) error.code = ErrorCode::NotFound;
  error.message = what + ": " + std::generic_category().message(number);
  return error;
}

Error replaced() {
  return make_error(ErrorCode::Corrupt, "something else stands where an artifact's file was");
}

std::string random_digits() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

bool simple_name(const std::string& name) {
  return !name.empty() && name.size() <= kNameMax && name[0] != '.' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                  c == '.';
         });
}

/// Nothing else in the directory is ever removed.
bool ours(const std::string& name) {
  const std::string unfinished(kUnfinished);
  return simple_name(name) &&
         (name.starts_with("artifact_") || name.starts_with("chunk_") ||
          name.starts_with(unfinished + "artifact_") || name.starts_with(unfinished + "chunk_"));
}

/// 0, or the number of the error.
int write_all(int descriptor, std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    data.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

int write_file(int directory, const std::string& name, std::string_view data) {
  const OpenFile file(::openat(directory, name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.open() ? write_all(file.get(), data) : errno;
}

Result<std::string> read_all(int descriptor, std::size_t size) {
  std::string data(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(descriptor, data.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("an artifact's file can't be read", errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  data.resize(have);
  return data;
}

}  // namespace

Result<ArtifactDirectory> ArtifactDirectory::open(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return invalid_argument("tools.artifacts.directory: " + path +
                            " can't be made: " + std::generic_category().message(errno));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return invalid_argument("tools.artifacts.directory: " + path +
                            " can't be opened: " + std::generic_category().message(errno));
  ArtifactDirectory directory(descriptor);
  if (::faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) != 0)
    return invalid_argument("tools.artifacts.directory: " + path +
                            " is not writable: " + std::generic_category().message(errno));
  return directory;
}

Result<ArtifactDirectory> ArtifactDirectory::open_existing(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) return ArtifactDirectory(descriptor);
  return make_error(ErrorCode::Unavailable,
                    "tools.artifacts.directory: " + path +
                        " can't be opened: " + std::generic_category().message(errno));
}

ArtifactDirectory::ArtifactDirectory(ArtifactDirectory&& other) noexcept
    : directory_(std::exchange(other.directory_, -1)) {}

ArtifactDirectory::~ArtifactDirectory() {
  if (directory_ >= 0) ::close(directory_);
}

Result<std::string> ArtifactDirectory::write(const std::string& id, std::string_view data) const {
  const std::string name = id + "." + random_digits();
  const std::string unfinished = std::string(kUnfinished) + name;
  int problem = write_file(directory_, unfinished, data);
  if (problem == 0 && ::renameat(directory_, unfinished.c_str(), directory_, name.c_str()) != 0)
    problem = errno;
  if (problem != 0) {
    ::unlinkat(directory_, unfinished.c_str(), 0);
    return failure("an artifact's file can't be written", problem);
  }
  if (::fsync(directory_) != 0) return failure("an artifact's file can't be written", errno);
  return name;
}

Result<std::string> ArtifactDirectory::read(const std::string& name) const {
  if (!simple_name(name)) return failure("an artifact has an impossible file", ENOENT);
  const OpenFile file(
      ::openat(directory_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open() && (errno == ELOOP || errno == ENXIO)) return replaced();  // a link, a socket
  if (!file.open()) return failure("an artifact's file can't be opened", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return replaced();
  return read_all(file.get(), static_cast<std::size_t>(status.st_size));
}

bool ArtifactDirectory::holds(const std::string& name, std::int64_t bytes) const {
  struct stat status {};
  return simple_name(name) &&
         ::fstatat(directory_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && status.st_size == bytes;
}

void ArtifactDirectory::remove(const std::string& name) const {
  if (simple_name(name)) ::unlinkat(directory_, name.c_str(), 0);
}

Result<std::vector<std::string>> ArtifactDirectory::older_than(Milliseconds age) const {
  const int again = ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return failure("the artifacts' directory can't be opened", errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(again), ::closedir);
  if (!listing) return failure("the artifacts' directory can't be listed", errno);
  const std::time_t until =
      std::time(nullptr) - std::chrono::duration_cast<std::chrono::seconds>(age).count();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string name = entry->d_name;
    struct stat status {};
    if (ours(name) && ::fstatat(directory_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_mtime <= until)
      names.push_back(name);
  }
  return names;
}

}  // namespace ba::storage
