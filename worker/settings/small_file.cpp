// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/small_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ba {

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

}  // namespace ba
