// SPDX-License-Identifier: Apache-2.0
// `ba-agent tool explain`: would a call run, what does it mean, would its result be kept? Neither a
// database nor a broker is asked.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "pipeline/tool/explain.hpp"
#include "worker/cli/commands.hpp"
#include "worker/cli/json_lines.hpp"
#include "worker/cli/tool_calls.hpp"
#include "worker/cli/tool_catalogue.hpp"
#include "worker/tools/sql_meaning.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Explains calls of one tool, each an object `{"id", "allowed", "cacheable", …}`.
class Explainer {
 public:
  Explainer(const ToolCatalogue& catalogue, const Config& config, ToolRequest request)
      : catalogue_(catalogue), runtime_(config.tool_runtime), request_(std::move(request)) {}

  Json explain(const Json& id, std::string args) {
    request_.call.args_json = std::move(args);
    const CallExplanation explanation =
        explain_call(catalogue_.tools(), runtime_, request_, meaning_);
    Json answer = empty_answer(id);
    answer["allowed"] = !explanation.refused;
    if (explanation.refused) answer["reason"] = explanation.refused->message;
    if (!explanation.reading) return answer;
    const CallReading& reading = *explanation.reading;
    answer["cacheable"] = !explanation.refused && !reading.not_cacheable;
    answer["key"] = reading.key.digest;
    answer["canonical"] = reading.key.canonical;
    if (!explanation.refused && reading.not_cacheable) answer["reason"] = *reading.not_cacheable;
    return answer;
  }

  /// Of a line that holds no call.
  static Json unreadable(const Json& id, const std::string& why) {
    Json answer = empty_answer(id);
    answer["reason"] = why;
    return answer;
  }

 private:
  static Json empty_answer(const Json& id) {
    return {{"id", id},       {"allowed", false},     {"cacheable", false},
            {"key", nullptr}, {"canonical", nullptr}, {"reason", nullptr}};
  }

  const ToolCatalogue& catalogue_;
  const ToolRuntimeConfig& runtime_;
  ToolRequest request_;
  SqlMeaning meaning_;
};

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The call in a line, or why there is none.
Json explained(Explainer& explainer, const JsonLines::Line& given, std::size_t& unreadable) {
  const std::string place = "line " + std::to_string(given.number) + ": ";
  ++unreadable;
  if (given.too_long)
    return Explainer::unreadable(
        nullptr, place + "longer than " + std::to_string(JsonLines::kBytesMax) + " bytes");
  Json call;
  const Result<void> parsed = parse_json(given.text, call);
  if (!parsed) return Explainer::unreadable(nullptr, place + parsed.error().message);
  if (!call.is_object())
    return Explainer::unreadable(nullptr, place + "not an object {\"id\", \"args\"}");
  const Json id = call.value("id", Json());
  const auto args = call.find("args");
  if (args == call.end())
    return Explainer::unreadable(id, place + "\"args\" is missing: the call's arguments");
  --unreadable;
  return explainer.explain(id, args->dump());
}

int explain_lines(Explainer& explainer, std::istream& in, Terminal& terminal) {
  JsonLines lines(in);
  std::size_t unreadable = 0;
  std::size_t all = 0;
  while (const auto given = lines.next()) {
    ++all;
    terminal.out() << line(explained(explainer, *given, unreadable));
    if (!lines.more_at_hand() && !terminal.out().flush()) return kExitFailed;
  }
  if (unreadable == 0) return kExitOk;
  terminal.failure(std::to_string(unreadable) + " of " + std::to_string(all) +
                   " lines hold no call; each answer says why");
  return kExitFailed;
}

void show(const Json& answer, Terminal& terminal) {
  const auto yes_no = [&](const char* name) { return answer[name] == true ? "yes" : "no"; };
  std::ostream& out = terminal.out();
  out << "allowed    " << yes_no("allowed") << "\ncacheable  " << yes_no("cacheable") << "\n";
  for (const char* name : {"reason", "key", "canonical"})
    if (answer[name].is_string())
      out << name << std::string(11 - std::string(name).size(), ' ')
          << printable(answer[name].get<std::string>()) << "\n";
}

int explain_one(Explainer& explainer, const ToolExplainArguments& arguments, Terminal& terminal) {
  const Json answer = explainer.explain(nullptr, arguments.args);
  if (arguments.json)
    terminal.out() << line(answer);
  else
    show(answer, terminal);
  return answer["allowed"] == true ? kExitOk : kExitFailed;
}

}  // namespace

int tool_explain_command(const ToolExplainArguments& arguments, const Session& session) {
  Terminal& terminal = session.terminal;
  auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue) return terminal.fail(catalogue.error());
  if (!catalogue->find(arguments.call.tool))
    return terminal.fail(no_such_tool(*catalogue, arguments.call.tool));
  auto request = tool_request(arguments.call, session.config());
  if (!request) return terminal.fail(request.error());
  if (!catalogue->configured(arguments.call.tool))
    terminal.message(arguments.call.tool +
                     " is not configured: explained as far as it can be without");
  Explainer explainer(*catalogue, session.config(), std::move(*request));
  if (!arguments.jsonl) return explain_one(explainer, arguments, terminal);
  if (arguments.file.empty() || arguments.file == "-")
    return explain_lines(explainer, std::cin, terminal);
  std::ifstream file(arguments.file);
  if (!file) return terminal.fail(unreadable_file(arguments.file));
  return explain_lines(explainer, file, terminal);
}

}  // namespace ba
