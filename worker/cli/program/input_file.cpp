// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

InputFile::InputFile(const std::string& file)
    : name_(file.empty() || file == "-" ? "standard input" : file),
      descriptor_(file.empty() || file == "-" ? STDIN_FILENO
                                              : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

bool InputFile::is_regular_file() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

bool InputFile::read_all(std::string& text, std::size_t bytes_max) const {
  std::array<char, 65536> buffer;
  while (text.size() <= bytes_max) {
    const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return true;
}

std::string InputFile::failure() const {
  return "can't read " + printable(name_) + ": " + std::strerror(errno);
}

Result<std::string> read_whole(const InputFile& input, std::size_t bytes_max, const char* advice) {
  std::string text;
  if (input.descriptor() < 0 || !input.read_all(text, bytes_max))
    return invalid_argument(input.failure());
  if (text.size() <= bytes_max) return text;
  return invalid_argument(input.name() + ": more than " + std::to_string(bytes_max) + " bytes" +
                          advice);
}

int refuse(const InputFile& input, const std::string& why, Terminal& terminal) {
  terminal.failure(printable(input.name()) + ": " + printable(why));
  return kExitFailed;
}

}  // namespace ba::cli
