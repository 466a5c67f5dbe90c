// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/artifacts/artifact_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

Error can_not_write(const std::string& name, int number) {
  return make_error(ErrorCode::Internal, "can't write " + name + ": " + std::strerror(number));
}

/// 0, or the number of the error.
int write_all(int descriptor, std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    data.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Result<std::string_view> part_of(const std::string& data, const std::optional<ByteRange>& range) {
  const std::string_view all = data;
  if (!range) return all;
  const auto size = static_cast<std::int64_t>(all.size());
  if (range->first >= size)
    return usage_error("--range begins at byte " + std::to_string(range->first) +
                       ", the data has " + std::to_string(size) + ": 0 to " +
                       std::to_string(size - 1));
  const std::int64_t last = std::min(range->last.value_or(size - 1), size - 1);
  return all.substr(static_cast<std::size_t>(range->first),
                    static_cast<std::size_t>(last - range->first + 1));
}

Result<void> write_new_file(const std::string& name, std::string_view data) {
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST)
    return usage_error("--output " + name + " is there already: name a file that isn't");
  if (file < 0) return can_not_write(name, errno);
  int problem = write_all(file, data);
  if (::close(file) != 0 && problem == 0) problem = errno;
  if (problem == 0) return {};
  ::unlink(name.c_str());
  return can_not_write(name, problem);
}

}  // namespace ba::cli
