// SPDX-License-Identifier: Apache-2.0
// `ba-agent tokens`: how many tokens texts have, and how a model's are counted. Neither a database
// nor a broker is asked.
#include <ostream>

#include "worker/cli/program/answer_lines.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/tokens/token_counts.hpp"

namespace ba::cli {
namespace {

struct InfoArguments {
  std::string model;
};

constexpr std::size_t kFileBytesMax = std::size_t{256} << 20;

/// As `wc` does: the count and the name of each, and a sum.
int count_files(const config::TextCounter& count, const std::vector<std::string>& files,
                Terminal& terminal) {
  std::int64_t all = 0;
  int code = kExitOk;
  for (const std::string& file : files) {
    const InputFile input(file);
    const auto text = read_whole(input, kFileBytesMax, "; count it in parts");
    if (!text) {
      code = terminal.fail(text.error());
      continue;
    }
    const std::int64_t tokens = count(*text);
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
  const settings::Findings& findings = session.loaded.token_encoders.findings;
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

Result<config::TextCounter> wanted_count(const TokensCountArguments& arguments,
                                         const CliSession& session) {
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

int count_tokens(const TokensCountArguments& arguments, const CliSession& session) {
  if (!arguments.model.empty() && !encoders_usable(session)) return kExitConfiguration;
  const Result<config::TextCounter> count = wanted_count(arguments, session);
  if (!count) {
    session.terminal.failure(printable(count.error().message));
    return kExitFailed;
  }
  doubt_model(arguments, session);
  if (!arguments.jsonl) return count_files(*count, arguments.files, session.terminal);
  LineAnswers answers;
  answers.of_line = [&](std::string_view line) { return answer_token_line(*count, line); };
  answers.of_too_long = refused_token_line;
  return answer_lines(InputFile(arguments.files.front()), answers, session.terminal).exit_code;
}

int show_info(const InfoArguments& arguments, const CliSession& session) {
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

void declare_count(CLI::App& app, TokensCountArguments& arguments) {
  CLI::Option* model = app.add_option("--model", arguments.model,
                                      "Count as for this model: its own name, or one of llm.models")
                           ->check(not_empty());
  CLI::Option* encoding =
      app.add_option("--encoding", arguments.encoding, "cl100k_base or o200k_base")
          ->check(CLI::IsMember({"cl100k_base", "o200k_base"}))
          ->excludes(model);
  CLI::Option* tokenizer =
      app.add_option("--tokenizer", arguments.tokenizer, "A tokenizer.json of Hugging Face's")
          ->check(not_empty())
          ->excludes(model)
          ->excludes(encoding);
  app.add_flag("--margin", arguments.margin, "With the model's safety margin")->needs(model);
  app.add_flag("--provider", arguments.provider,
               "By the provider's own endpoint, if the configured model has one")
      ->needs(model)
      ->excludes("--margin");
  app.add_flag("--estimate", arguments.estimate, "The cheap estimate, by characters")
      ->excludes("--margin")
      ->excludes("--provider");
  app.add_flag("--jsonl", arguments.jsonl, "One JSON line in, one out");
  app.add_option("file", arguments.files, "Texts (default: standard input)");
  app.callback([=, &arguments] {
    if (model->count() + encoding->count() + tokenizer->count() == 0 && !arguments.estimate)
      throw CLI::RequiredError("--model, --encoding or --tokenizer");
    if (arguments.jsonl && arguments.files.size() > 1)
      throw CLI::ValidationError("file", "--jsonl reads one file, or standard input");
    if (arguments.files.empty()) arguments.files.emplace_back();
  });
}

void declare_info(CLI::App& app, InfoArguments& arguments) {
  filter_option(app, "--model", arguments.model, "The model's name, its own or one of llm.models")
      ->required();
}

constexpr const char* kCountNotes =
    "Counts are those of the encoding. Special tokens are text like any other. Broken\n"
    "UTF-8 counts as U+FFFD. With a Hugging Face tokenizer.json (byte-level BPE), each\n"
    "added token, such as <|im_start|>, counts as one. If a model's tokenizer isn't here,\n"
    "another encoding stands for it. The count is then an estimate, and a line on standard\n"
    "error says so. --margin adds the possible excess. --provider, or use_exact_counting\n"
    "in the file of encoders, asks the model's provider. That costs nothing, and counts\n"
    "the frame of a message, too. If it fails, the count is made here, with the margin.\n"
    "With --jsonl each line {\"id\":ID,\"text\":TEXT} is answered by {\"id\":ID,\"count\":N}, a\n"
    "bad one by {\"id\":ID,\"error\":WHY}; the exit code is 1 then.";

}  // namespace

Command tokens_count_command() {
  return command<TokensCountArguments>(
      {.name = "tokens count",
       .summary = "Count the tokens of texts",
       .notes = kCountNotes,
       .examples = "  ba-agent tokens count --encoding o200k_base prompt.txt notes.md\n"
                   "  ba-agent tokens count --model claude-sonnet-5 --margin < prompt.txt\n"
                   "  ba-agent tokens count --encoding cl100k_base --jsonl < texts.jsonl\n"
                   "  ba-agent tokens count --tokenizer qwen/tokenizer.json prompt.txt",
       .needs = kNeedsNothing},
      declare_count, count_tokens);
}

Command tokens_info_command() {
  return command<InfoArguments>({.name = "tokens info",
                                 .summary = "Say how a model's tokens are counted",
                                 .examples = "  ba-agent tokens info --model gpt-4o",
                                 .needs = kNeedsNothing},
                                declare_info, show_info);
}

}  // namespace ba::cli
