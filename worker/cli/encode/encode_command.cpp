// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "pipeline/text/encoding/encoding_limits.hpp"
#include "worker/cli/encode/document_codec.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/line_source.hpp"

namespace ba {
namespace {

int unreadable(const InputFile& input, Terminal& terminal) {
  terminal.failure(input.failure());
  return kExitFailed;
}

int convert_whole(const EncodeArguments& arguments, const InputFile& input, Terminal& terminal) {
  std::string text;
  if (!input.read_all(text, kEncodedBytesMax)) return unreadable(input, terminal);
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
int convert_lines(const EncodeArguments& arguments, const InputFile& input, Terminal& terminal) {
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

int encode_command(const EncodeArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  if (const auto problem = problem_of(arguments)) {
    terminal.failure(*problem);
    return kExitUsage;
  }
  const InputFile input(arguments.file);
  if (input.descriptor() < 0) return unreadable(input, terminal);
  return arguments.jsonl ? convert_lines(arguments, input, terminal)
                         : convert_whole(arguments, input, terminal);
}

}  // namespace ba
