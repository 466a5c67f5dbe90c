// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "pipeline/encoding/encoding_limits.hpp"
#include "worker/cli/commands.hpp"
#include "worker/cli/document_codec.hpp"
#include "worker/cli/line_source.hpp"

namespace ba {
namespace {

constexpr std::size_t kLineBytesMax = std::size_t{64} << 20;

/// The file that is read, or standard input; closed with it.
class Input {
 public:
  explicit Input(const std::string& file)
      : name_(file.empty() || file == "-" ? "standard input" : file),
        descriptor_(file.empty() || file == "-" ? STDIN_FILENO
                                                : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

  bool is_regular_file() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  }

  /// At most one byte more than the readers take.
  bool read_all(std::string& text) const {
    std::array<char, 65536> buffer;
    while (text.size() <= kEncodedBytesMax) {
      const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      if (got == 0) return true;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return true;
  }

 private:
  const std::string name_;
  const int descriptor_;
};

int unreadable(const Input& input, Terminal& terminal) {
  terminal.failure("can't read " + printable(input.name()) + ": " + std::strerror(errno));
  return kExitFailed;
}

int convert_whole(const EncodeArguments& arguments, const Input& input, Terminal& terminal) {
  std::string text;
  if (!input.read_all(text)) return unreadable(input, terminal);
  const auto converted = convert_document(arguments, text);
  if (!converted) {
    terminal.failure(printable(input.name()) + ": " + printable(converted.error().message));
    return kExitFailed;
  }
  terminal.out() << *converted;
  if (!converted->ends_with('\n')) terminal.out() << '\n';
  return kExitOk;
}

/// Answers each line before it waits for the next one; a file needs no haste.
int convert_lines(const EncodeArguments& arguments, const Input& input, Terminal& terminal) {
  const bool at_once = !input.is_regular_file();
  LineSource lines(input.descriptor(), kLineBytesMax);
  std::string line;
  int code = kExitOk;
  for (;;) {
    LineAnswer answer;
    switch (lines.next(line)) {
      case LineSource::Read::End:
        return code;
      case LineSource::Read::Failed:
        return unreadable(input, terminal);
      case LineSource::Read::TooLong:
        answer.text = refused_line("the line has more than " + std::to_string(kLineBytesMax) +
                                   " bytes; split it, or encode it as one document");
        break;
      case LineSource::Read::Line:
        answer = answer_line(arguments, line);
        break;
    }
    if (!answer.good) code = kExitFailed;
    terminal.out() << answer.text << '\n';
    if (at_once) terminal.out().flush();
    if (!terminal.out()) return kExitFailed;
  }
}

}  // namespace

int encode_command(const EncodeArguments& arguments, const Session& session) {
  Terminal& terminal = session.terminal;
  if (const auto problem = problem_of(arguments)) {
    terminal.failure(*problem);
    return kExitUsage;
  }
  const Input input(arguments.file);
  if (input.descriptor() < 0) return unreadable(input, terminal);
  return arguments.jsonl ? convert_lines(arguments, input, terminal)
                         : convert_whole(arguments, input, terminal);
}

}  // namespace ba
