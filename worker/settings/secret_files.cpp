// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/secret_files.hpp"

#include <sys/stat.h>

#include <array>
#include <cstdio>

namespace ba {

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

}  // namespace ba
