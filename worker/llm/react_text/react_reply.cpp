// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/react_text/react_reply.hpp"

#include "worker/llm/message_parts.hpp"
#include "worker/llm/react_text/react_parser.hpp"
#include "worker/llm/reply_checks.hpp"

namespace ba {
namespace {

/// The only ids that are made on this side: such a model gives none.
ToolCallId call_id(const ReplyPlace& place, std::size_t n) {
  return ToolCallId("call_" + std::to_string(place.round) + "_" + std::to_string(place.step) + "_" +
                    std::to_string(n));
}

void take(const ReactText& found, AiMessage& message, const ProtocolContext& context) {
  std::string text;
  if (found.actions.empty()) {
    add_paragraph(message.thinking, found.thought);
    text = found.answer.value_or("");
  } else {
    text = found.thought;
  }
  for (const ReactAction& action : found.actions) {
    if (action.tool.empty()) continue;  // only a reply that was cut has one
    ToolCall& call = message.tool_calls.emplace_back();
    call.id = call_id(context.place, message.tool_calls.size() - 1);
    call.name = action.tool;
    set_arguments(call, std::string(action.arguments));
    bound_arguments(call, context.limits);
  }
  message.text = std::move(text);
}

}  // namespace

bool calls_in_text(const ProtocolContext& context) {
  return context.model.tool_calling == ToolCalling::Text && context.place.has_tools;
}

Result<void> read_react_reply(ModelReply& reply, const ProtocolContext& context) {
  AiMessage& message = reply.message;
  const std::string text = message.text;
  if (reply.stop == StopReason::MaxTokens) {
    take(parse_cut_react(text), message, context);
    return {};
  }
  if (reply.stop != StopReason::EndTurn) return {};
  const auto found = parse_react(text);
  if (!found) return found.error();
  take(*found, message, context);
  if (!message.tool_calls.empty()) reply.stop = StopReason::ToolUse;
  return {};
}

}  // namespace ba
