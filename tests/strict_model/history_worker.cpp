// SPDX-License-Identifier: Apache-2.0
// A worker for one conversation after the other, at the two ends of a pipe: `ba-strict-worker FILE`
// reads the models from the configuration FILE, then commands from its input, a line of JSON each,
// and writes what it wants as lines of JSON. See histories.py, which is the other end.
//
//   {"do": "begin", "mode": "extract", "reminder_steps": 2, "summary_model": ""}: all is forgotten
//   {"do": "job", "id": …, "model": …, "agent": …, "messages": […]}: of the one conversation
//   {"do": "ask", "model": …, "agent": …, "history": […]}: LangChain's messages
//   then it writes {"url": …, "headers": {…}, "body": "…"} for each request, and is told
//   {"status": 200, "type": …, "body": "…"} (status 0: its process dies), until it writes
//   {"ended": {"outcome": …, "code": …, "message": …, "answer": …}}.

#include <iostream>
#include <nlohmann/json.hpp>

#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "tests/strict_model/history_world.hpp"
#include "worker/config/load_config.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

std::string json_text(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string read_line() {
  std::string line;
  if (!std::getline(std::cin, line)) throw std::runtime_error("the other end is gone");
  return line;
}

/// The body as a text: it may have several lines, and is checked byte for byte.
PipedAnswer ask_outside(const http::HttpEndpointConfig& to, const std::string& body) {
  std::string headers;
  for (const auto& [name, value] : to.headers)
    headers += (headers.empty() ? "" : ",") + json_text(name) + ":" + json_text(value.reveal());
  std::cout << R"({"url":)" << json_text(to.url) << R"(,"headers":{)" << headers << R"(},"body":)"
            << json_text(body) << "}" << std::endl;
  const Json told = Json::parse(read_line());
  return {told.at("status"), told.value("type", ""), told.value("body", "")};
}

HistoryRules rules_of(const Json& command) {
  HistoryRules rules;
  const std::string mode = command.at("mode");
  const auto known = value_of(kCompressionModeNames, mode);
  if (!known) throw std::runtime_error("mode '" + mode + "' is none of compression");
  rules.mode = *known;
  rules.reminder_steps = command.at("reminder_steps");
  rules.summary_model = command.at("summary_model");
  return rules;
}

Job job_of(const Json& command) {
  Job job;
  job.tenant = TenantId("strict");
  job.job_id = JobId(command.at("id"));
  job.conversation_id = ConversationId("talk");
  job.messages = command.at("messages");
  job.model = command.at("model");
  job.agent = command.at("agent");
  job.answer_schema = command.value("answer_schema", "");
  return job;
}

HistoryEnded ask(HistoryWorld& world, const Json& command) {
  const auto history = messages_from_json(command.at("history").dump());
  if (!history) return {"unreadable", "", history.error().message, ""};
  return world.ask(command.at("model"), command.at("agent"), *history);
}

void tell(const HistoryEnded& ended) {
  std::cout << R"({"ended":{"outcome":)" << json_text(ended.outcome) << R"(,"code":)"
            << json_text(ended.code) << R"(,"message":)" << json_text(ended.message)
            << R"(,"answer":)" << json_text(ended.answer) << "}}" << std::endl;
}

llm::LlmConfig config_of(const std::string& file) {
  const config::LoadedConfig loaded = config::load_config({file, {}, {}});
  for (const std::string& error : loaded.findings.errors()) std::cerr << error << "\n";
  if (!loaded.usable()) throw std::runtime_error(file + " can't be used");
  return loaded.config.llm;
}

int serve(const std::string& file) {
  const llm::LlmConfig config = config_of(file);
  std::unique_ptr<HistoryWorld> world;
  std::string line;
  while (std::getline(std::cin, line)) {
    const Json command = Json::parse(line);
    const std::string what = command.at("do");
    if (what == "begin") {
      world.reset();
      world = std::make_unique<HistoryWorld>(config, rules_of(command), ask_outside);
    } else if (!world) {
      throw std::runtime_error("'" + what + "' before 'begin'");
    } else if (what == "job") {
      tell(world->run(job_of(command)));
    } else if (what == "ask") {
      tell(ask(*world, command));
    } else {
      throw std::runtime_error("'" + what + "' is no command: begin, job, ask");
    }
  }
  return 0;
}

}  // namespace
}  // namespace ba

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: ba-strict-worker FILE (a configuration)\n";
    return 2;
  }
  try {
    return ba::serve(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "ba-strict-worker: " << error.what() << "\n";
    return 1;
  }
}
