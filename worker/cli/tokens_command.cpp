// SPDX-License-Identifier: Apache-2.0
// `ba-agent tokens`: how many tokens texts have, and how a model's are counted. Neither a database
// nor a broker is asked.
#include <ostream>

#include "worker/cli/commands.hpp"
#include "worker/cli/input_file.hpp"
#include "worker/cli/line_source.hpp"
#include "worker/cli/token_lines.hpp"

namespace ba {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{256} << 20;

int unreadable(const InputFile& input, Terminal& terminal) {
  terminal.failure(input.failure());
  return kExitFailed;
}

/// Answers each line before it waits for the next one; a file needs no haste.
int count_lines(TokenCount& count, const InputFile& input, Terminal& terminal) {
  const bool at_once = !input.is_regular_file();
  LineSource lines(input.descriptor(), kLineBytesMax);
  std::string line;
  int code = kExitOk;
  for (;;) {
    const LineSource::Read read = lines.next(line);
    if (read == LineSource::Read::End) return code;
    if (read == LineSource::Read::Failed) return unreadable(input, terminal);
    const TokenLine answer =
        read == LineSource::Read::TooLong
            ? TokenLine{refused_token_line("the line has more than " +
                                           std::to_string(kLineBytesMax) + " bytes"),
                        false}
            : answer_token_line(count, line);
    if (!answer.good) code = kExitFailed;
    terminal.out() << answer.text << '\n';
    if (at_once) terminal.out().flush();
    if (!terminal.out()) return kExitFailed;
  }
}

/// As `wc` does: the count and the name of each, and a sum.
int count_files(TokenCount& count, const std::vector<std::string>& files, Terminal& terminal) {
  std::int64_t all = 0;
  int code = kExitOk;
  for (const std::string& file : files) {
    const InputFile input(file);
    std::string text;
    if (input.descriptor() < 0 || !input.read_all(text, kFileBytesMax)) {
      code = unreadable(input, terminal);
      continue;
    }
    if (text.size() > kFileBytesMax) {
      terminal.failure(printable(input.name()) + ": more than " + std::to_string(kFileBytesMax) +
                       " bytes; count it in parts");
      code = kExitFailed;
      continue;
    }
    const std::int64_t tokens = count.of(text);
    all += tokens;
    terminal.out() << tokens;
    if (!file.empty()) terminal.out() << "  " << printable(file);
    terminal.out() << "\n";
  }
  if (files.size() > 1) terminal.out() << all << "  total\n";
  return code;
}

}  // namespace

int tokens_count_command(const TokensCountArguments& arguments, const Session& session) {
  TokenCount count(arguments);
  if (!arguments.jsonl) return count_files(count, arguments.files, session.terminal);
  const InputFile input(arguments.files.front());
  if (input.descriptor() < 0) return unreadable(input, session.terminal);
  return count_lines(count, input, session.terminal);
}

int tokens_info_command(const TokensInfoArguments& arguments, const Session& session) {
  const TokenProfile profile = token_profile(arguments.model);
  const std::string hundredths = std::to_string(100 + profile.margin_percent % 100).substr(1);
  session.terminal.out() << "model: " << printable(arguments.model)
                         << "\nmodel_family: " << profile.family
                         << "\nencoding_name: " << name_of(kTokenEncodingNames, profile.encoding)
                         << "\nsafety_margin: " << profile.margin_percent / 100 << "." << hundredths
                         << "\nuse_exact_counting: false\nhas_api_client: false\n";
  return kExitOk;
}

}  // namespace ba
