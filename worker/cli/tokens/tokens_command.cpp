// SPDX-License-Identifier: Apache-2.0
// `ba-agent tokens`: how many tokens texts have, and how a model's are counted. Neither a database
// nor a broker is asked.
#include <ostream>

#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/line_source.hpp"
#include "worker/cli/tokens/provider_counter.hpp"
#include "worker/cli/tokens/token_lines.hpp"

namespace ba {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{256} << 20;

int unreadable(const InputFile& input, Terminal& terminal) {
  terminal.failure(input.failure());
  return kExitFailed;
}

/// Answers each line before it waits for the next one; a file needs no haste.
int count_lines(const TextCounter& count, const InputFile& input, Terminal& terminal) {
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
int count_files(const TextCounter& count, const std::vector<std::string>& files,
                Terminal& terminal) {
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
    const std::int64_t tokens = count(text);
    all += tokens;
    terminal.out() << tokens;
    if (!file.empty()) terminal.out() << "  " << printable(file);
    terminal.out() << "\n";
  }
  if (files.size() > 1) terminal.out() << all << "  total\n";
  return code;
}

/// Says what is wrong with the file of encoders; false: nothing can be counted by it.
bool encoders_usable(const CliSession& session) {
  const Findings& findings = session.loaded.token_encoders.findings;
  for (const std::string& warning : findings.warnings())
    session.terminal.message("warning: " + printable(warning));
  for (const std::string& error : findings.errors()) session.terminal.failure(printable(error));
  return findings.problems.empty();
}

/// "1.15": no shorter than that.
std::string margin_text(std::int64_t millionths) {
  std::string text = std::to_string(millionths / 1'000'000) + "." +
                     std::to_string(1'000'000 + millionths % 1'000'000).substr(1);
  while (text.ends_with('0') && text[text.size() - 3] != '.') text.pop_back();
  return text;
}

/// Of a name that stands under llm.models, the model behind it.
TokenProfile profile_of(const std::string& model, const CliSession& session) {
  return session.loaded.token_encoders.profiles.of(model_id_of(session.config().llm, model));
}

/// "'small' (claude-sonnet-5)".
std::string described(const std::string& model, const std::string& id) {
  return "'" + model + "'" + (id == model ? "" : " (" + id + ")");
}

bool asks_provider(const TokensCountArguments& arguments, const CliSession& session) {
  if (arguments.provider) return true;
  if (arguments.model.empty() || arguments.margin || arguments.estimate) return false;
  return profile_of(arguments.model, session).use_exact_counting;
}

/// "15 %".
std::string percent_text(std::int64_t margin_millionths) {
  std::string text = margin_text(margin_millionths * 100 - 100'000'000);
  if (text.ends_with(".00")) text.resize(text.size() - 3);
  return text + " %";
}

/// Once, beside the counts: that they are those of an encoding that isn't the model's, or may not
/// be.
void doubt_model(const TokensCountArguments& arguments, const CliSession& session) {
  const std::string& model = arguments.model;
  if (model.empty() || arguments.estimate || asks_provider(arguments, session)) return;
  const std::string id = model_id_of(session.config().llm, model);
  const TokenProfile profile = profile_of(model, session);
  std::string doubt;
  if (!session.loaded.token_encoders.profiles.knows(id))
    doubt = "is not known: counted as " + profile.encoding_name +
            ", which is a guess (--encoding, or the file of encoders)";
  else if (!is_exact(profile))
    doubt = "is not counted exactly: " + profile.encoding_name +
            " stands for its tokenizer, so this is an estimate; its own count may be " +
            percent_text(profile.margin_millionths) + " more, which " +
            (arguments.margin ? "is added" : "--margin adds");
  if (!doubt.empty())
    session.terminal.message(printable("model " + described(model, id) + " " + doubt));
}

Result<TextCounter> wanted_count(const TokensCountArguments& arguments, const CliSession& session) {
  const TokenProfiles& profiles = session.loaded.token_encoders.profiles;
  TokensCountArguments otherwise = arguments;
  otherwise.model = model_id_of(session.config().llm, arguments.model);
  if (!asks_provider(arguments, session)) return token_count(otherwise, profiles);
  otherwise.margin = true;
  auto count = token_count(otherwise, profiles);
  if (!count) return count;
  return provider_counter(session.loaded, arguments.model, std::move(*count), session.terminal);
}

const char* yes_or_no(bool yes) { return yes ? "true" : "false"; }

}  // namespace

int tokens_count_command(const TokensCountArguments& arguments, const CliSession& session) {
  if (!arguments.model.empty() && !encoders_usable(session)) return kExitConfiguration;
  const Result<TextCounter> count = wanted_count(arguments, session);
  if (!count) {
    session.terminal.failure(printable(count.error().message));
    return kExitFailed;
  }
  doubt_model(arguments, session);
  if (!arguments.jsonl) return count_files(*count, arguments.files, session.terminal);
  const InputFile input(arguments.files.front());
  if (input.descriptor() < 0) return unreadable(input, session.terminal);
  return count_lines(*count, input, session.terminal);
}

int tokens_info_command(const TokensInfoArguments& arguments, const CliSession& session) {
  if (!encoders_usable(session)) return kExitConfiguration;
  const TokenProfile profile = profile_of(arguments.model, session);
  session.terminal.out() << "model: " << printable(arguments.model)
                         << "\nmodel_family: " << profile.family
                         << "\nencoding_name: " << printable(profile.encoding_name)
                         << "\nsafety_margin: " << margin_text(profile.margin_millionths)
                         << "\nuse_exact_counting: " << yes_or_no(profile.use_exact_counting)
                         << "\nhas_api_client: "
                         << yes_or_no(bool(counting_api(session.loaded, arguments.model))) << "\n";
  return kExitOk;
}

}  // namespace ba
