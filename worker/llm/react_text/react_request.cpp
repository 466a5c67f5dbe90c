// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/react_text/react_request.hpp"

#include "worker/llm/react_text/react_reply.hpp"

namespace ba::llm {
namespace {

constexpr std::string_view kPrompt =
    R"(You can use tools. Answer in exactly this form, each label at the beginning of a line:

Thought: what you think should be done next
Action: a tool's name, a space, and its arguments as one JSON object
Observation: the result of the action; it is given to you, never write it yourself
Final Answer: your answer to the user

Write a Thought, then either an Action or the Final Answer, and stop. Several lines of Action: run together;
their Observations come in the same order. For example:

Thought: I need the number first.
Action: name_of_a_tool {"parameter": "value"}

The tools, each with the JSON Schema of its arguments:
)";

std::string prompt_of(const std::vector<ToolSpec>& tools) {
  std::string text(kPrompt);
  for (const ToolSpec& tool : tools)
    text += "\n" + tool.name + ": " + tool.description + "\n" + tool.parameters_schema + "\n";
  return text;
}

std::string labelled(std::string_view label, std::string_view text) {
  return std::string(label) + " " + std::string(text);
}

/// A message that no model said in this form: hidden instructions, which an AIMessage carries.
bool is_meta(const AiMessage& message) {
  return message.meta.additional_kwargs.count("isMeta") > 0;
}

std::string text_of(const AiMessage& message) {
  if (message.tool_calls.empty()) return labelled(kAnswerLabel, message.text);
  std::string text = message.text.empty() ? "" : labelled(kThoughtLabel, message.text);
  for (const ToolCall& call : message.tool_calls) {
    if (!text.empty()) text += '\n';
    text += labelled(kActionLabel, call.name) + " " + call.args_json;
  }
  return text;
}

}  // namespace

std::string react_system(const ModelRequest& original) {
  std::string system = original.system;
  if (original.tools.empty()) return system;
  if (!system.empty()) system += "\n\n";
  return system + prompt_of(original.tools);
}

std::optional<Message> react_message(const Message& message, bool has_tools) {
  if (const auto* said = std::get_if<AiMessage>(&message)) {
    const bool answer = said->tool_calls.empty();
    if (answer && (!has_tools || is_meta(*said) || said->text.empty())) return std::nullopt;
    AiMessage made = *said;
    made.text = text_of(*said);
    made.tool_calls.clear();
    return made;
  }
  const auto* answer = std::get_if<ToolMessage>(&message);
  if (answer == nullptr) return std::nullopt;
  HumanMessage made;
  made.meta = answer->meta;
  made.text = labelled(kObservationLabel, answer->content);
  return made;
}

ReactRequest::ReactRequest(const ModelRequest& original) : request_(original) {
  request_.system = react_system(original);
  request_.tools = {};
  request_.memory = nullptr;  // of the messages as they were
  for (const Message*& message : request_.messages) {
    auto made = react_message(*message, !original.tools.empty());
    if (made) message = &written_.emplace_back(std::move(*made));
  }
}

}  // namespace ba::llm
