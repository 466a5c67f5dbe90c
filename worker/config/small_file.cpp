// SPDX-License-Identifier: Apache-2.0
#include "worker/config/small_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace ba {

Result<std::string> read_small_file(const std::string& name) {
  const auto failed = [&](int code) {
    Error error = invalid_argument("can't read " + name + ": " + std::strerror(code));
    if (code == ENOENT) error.code = ErrorCode::NotFound;
    return error;
  };
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(name.c_str(), "rb"), &std::fclose);
  if (!file) return failed(errno);
  std::string content(kSmallFileBytesMax + 1, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  if (std::ferror(file.get()) != 0) return failed(errno);
  if (content.size() > kSmallFileBytesMax)
    return invalid_argument("can't read " + name + ": larger than " +
                            std::to_string(kSmallFileBytesMax) + " bytes");
  return content;
}

}  // namespace ba
