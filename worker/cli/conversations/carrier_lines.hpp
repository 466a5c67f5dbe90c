#pragma once
// SPDX-License-Identifier: Apache-2.0
// Conversations in the forms of pipeline/text/carrier: the options that choose a form, what
// `ba-agent convert` does with one document or one line, and a foreign conversation as one of this
// ledger. Pure functions, any thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/message/message.hpp"
#include "worker/cli/program/answer_lines.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba::cli {

struct ConvertArguments {
  CarrierFormat from = CarrierFormat::Langchain;
  CarrierFormat to = CarrierFormat::Langchain;
  bool jsonl = false;
  bool strict = false;  ///< what the target has no place for is an error
  std::string file;     ///< empty or "-": standard input
};

struct Conversion {
  CarrierText text;
  Losses losses;  ///< of reading and of writing
};

/// An error's detail is the field that is refused.
Result<Conversion> convert_conversation(const ConvertArguments& arguments, std::string_view json);

/// {"id", "messages"} in one form to the same in another, `system` beside it where the form has it;
/// or {"id", "error": {"field", "message"}}.
struct ConvertedLine {
  LineAnswer answer;
  Losses losses;
};
ConvertedLine convert_line(const ConvertArguments& arguments, std::string_view line);

/// {"id":null,"error":{"field":"","message":…}}
LineAnswer refused_conversation_line(const std::string& why);

/// "usage (3 times, first at messages[1])"
std::string describe(const Losses::Kind& kind);

// The option that names another program's form of conversations, for `convert`, `export` and
// `import`. Nobody else includes it.

enum class FormUse { Read, Written };  ///< the form "debug" is only written

inline CLI::Option* form_option(CLI::App& app, const char* name, CarrierFormat& format, FormUse use,
                                const char* about) {
  std::vector<std::string> forms = {"langchain", "anthropic", "openai", "responses"};
  if (use == FormUse::Written) forms.emplace_back("debug");
  const auto read = [&format](const std::string& text) {
    format = *value_of(kCarrierFormatNames, text);
  };
  return app.add_option_function<std::string>(name, read, about)->check(CLI::IsMember(forms));
}

/// Gives each message what messages of this ledger have: the conversation, a round ("inherited/"
/// and the earlier id, or a number: one begins with what a user says), and an id. An id that a
/// job's message could have, or none, becomes "inherited/<n>", and the earlier one stands in
/// additional_kwargs.imported_id: ids are unique within a history, and jobs to come bring theirs.
void settle_in(std::vector<Message>& history, const ConversationId& conversation);

}  // namespace ba::cli
