#pragma once
// SPDX-License-Identifier: Apache-2.0
// A model that looks some times before it answers, as scripts of tests about long conversations,
// and what of a request such tests look at.

#include <string>
#include <vector>

#include "pipeline/core/context/history_rounds.hpp"
#include "tests/support/quarter_meter.hpp"
#include "worker/driver/agent_directory.hpp"

namespace ba::driver {

/// Of a job with so large a window and room for many looks.
inline AgentDirectory looking_agent(RunProfile profile, const ToolRegistry& registry,
                                    std::int64_t window) {
  profile.model = "two-step";
  profile.tools = registry.specs({});
  profile.limits.steps_per_round_max = 60;
  return AgentDirectory({profile}, {{"two-step", window}});
}

/// The next look of the round, a long one, or the answer after so many.
inline AiMessage look_or_answer(const ModelRequest& request, int looks) {
  AiMessage reply;
  int looks_so_far = 0;
  for (const Message* message : request.messages) {
    if (std::holds_alternative<HumanMessage>(*message) && !is_hidden(*message)) looks_so_far = 0;
    const auto* ai = std::get_if<AiMessage>(message);
    if (ai && !ai->tool_calls.empty())
      looks_so_far = std::stoi(ai->tool_calls[0].id.value.substr(5)) + 1;
  }
  if (looks_so_far >= looks) {
    reply.text = "the answer";
    return reply;
  }
  ToolCall call;
  call.id = ToolCallId("call_" + std::to_string(looks_so_far));
  call.name = "look";
  reply.text = std::string(700, 'x');
  reply.tool_calls.push_back(call);
  return reply;
}

inline std::vector<std::string> texts_of(const ModelRequest& request) {
  std::vector<std::string> texts;
  for (const Message* message : request.messages) {
    if (const auto* system = std::get_if<SystemMessage>(message)) texts.push_back(system->text);
    if (const auto* human = std::get_if<HumanMessage>(message)) texts.push_back(human->text);
    if (const auto* ai = std::get_if<AiMessage>(message)) texts.push_back(ai->text);
    if (const auto* tool = std::get_if<ToolMessage>(message)) texts.push_back(tool->content);
  }
  return texts;
}

/// With system prompt and tools.
inline std::int64_t tokens_of(const ModelRequest& request, QuarterMeter& meter) {
  const CountTokens count = [&meter](std::string_view text) { return meter.count("any", text); };
  std::int64_t tokens = count(request.system);
  for (const ToolSpec& tool : request.tools)
    tokens += count(tool.name) + count(tool.description) + count(tool.parameters_schema);
  for (const Message* message : request.messages) tokens += message_tokens(*message, count);
  return tokens;
}

}  // namespace ba::driver
