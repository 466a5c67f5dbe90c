// SPDX-License-Identifier: Apache-2.0
// `ba-agent convert`: conversations from one form to another. Neither a database nor a broker is
// asked.
#include <ostream>

#include "worker/cli/conversations/carrier_lines.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/line_source.hpp"

namespace ba {
namespace {

int unreadable(const InputFile& input, Terminal& terminal) {
  terminal.failure(input.failure());
  return kExitFailed;
}

int refuse(const InputFile& input, const std::string& why, Terminal& terminal) {
  terminal.failure(printable(input.name()) + ": " + printable(why));
  return kExitFailed;
}

void tell(const Losses& losses, const ConvertArguments& arguments, Terminal& terminal) {
  for (const Losses::Kind& kind : losses.kinds())
    terminal.message("note: the form " + std::string(name_of(kCarrierFormatNames, arguments.to)) +
                     " has no place for " + printable(describe(kind)));
}

int convert_whole(const ConvertArguments& arguments, const InputFile& input, Terminal& terminal) {
  std::string text;
  if (!input.read_all(text, kConversationBytesMax)) return unreadable(input, terminal);
  if (text.size() > kConversationBytesMax)
    return refuse(input, "more than " + std::to_string(kConversationBytesMax) + " bytes", terminal);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return refuse(input, "it is empty; a conversation is an array of messages", terminal);
  const auto conversion = convert_conversation(arguments, text);
  if (!conversion) return refuse(input, conversion.error().message, terminal);
  terminal.out() << carrier_document(arguments.to, conversion->text) << '\n';
  tell(conversion->losses, arguments, terminal);
  return kExitOk;
}

/// Answers each line before it waits for the next one; a file needs no haste.
int convert_lines(const ConvertArguments& arguments, const InputFile& input, Terminal& terminal) {
  const bool at_once = !input.is_regular_file();
  LineSource lines(input.descriptor(), kLineBytesMax);
  std::string line;
  Losses losses;
  int code = kExitOk;
  std::size_t count = 0;
  for (;; ++count) {
    const LineSource::Read read = lines.next(line);
    if (read == LineSource::Read::Failed) return unreadable(input, terminal);
    if (read == LineSource::Read::End) break;
    const ConvertedLine answer =
        read == LineSource::Read::TooLong
            ? ConvertedLine{refused_conversation_line("the line has more than " +
                                                      std::to_string(kLineBytesMax) + " bytes"),
                            false,
                            {}}
            : convert_line(arguments, line);
    if (!answer.good) code = kExitFailed;
    losses.add(answer.losses);
    terminal.out() << answer.text << '\n';
    if (at_once) terminal.out().flush();
    if (!terminal.out()) return kExitFailed;
  }
  if (count == 0) return refuse(input, "it is empty: there is no line to convert", terminal);
  tell(losses, arguments, terminal);
  return code;
}

}  // namespace

int convert_command(const ConvertArguments& arguments, const CliSession& session) {
  const InputFile input(arguments.file);
  if (input.descriptor() < 0) return unreadable(input, session.terminal);
  return arguments.jsonl ? convert_lines(arguments, input, session.terminal)
                         : convert_whole(arguments, input, session.terminal);
}

}  // namespace ba
