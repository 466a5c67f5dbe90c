// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/small_file.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ba::settings {

Result<std::string> read_file(const std::string& name, std::size_t bytes_max) {
  const auto failed = [&](int code) {
    Error error = invalid_argument("can't read " + name + ": " + std::strerror(code));
    if (code == ENOENT) error.code = ErrorCode::NotFound;
    return error;
  };
  // A FIFO that nobody writes to would block for ever. /dev/stdin and /dev/fd/63, which a shell
  // makes of <(…), are the caller's own.
  std::error_code ignored;
  if (!name.starts_with("/dev/") && !name.starts_with("/proc/") &&
      (std::filesystem::is_fifo(name, ignored) || std::filesystem::is_socket(name, ignored)))
    return invalid_argument("can't read " + name + ": it is no regular file");
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(name.c_str(), "rb"), &std::fclose);
  if (!file) return failed(errno);
  std::string content;
  std::array<char, 65536> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    content.append(piece.data(), got);
    if (content.size() > bytes_max)
      return invalid_argument("can't read " + name + ": larger than " + std::to_string(bytes_max) +
                              " bytes");
  }
  if (std::ferror(file.get()) != 0) return failed(errno);
  return content;
}

std::string exposure_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  const bool read = (status.st_mode & S_IROTH) != 0;
  const bool written = (status.st_mode & S_IWOTH) != 0;
  if (!read && !written) return "";
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
  return std::string("others on this machine may ") +
         (read && written ? "read and write" : (read ? "read" : "write")) + " " + file + " (mode " +
         mode.data() + "): chmod o-rwx " + file +
         ", or mount it with mode 0440 where it is mounted";
}

}  // namespace ba::settings
