// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/message_tokens.hpp"

#include "pipeline/text/message/job_time.hpp"

namespace ba {
namespace {

struct Tokens {
  const CountTokens& count;

  std::int64_t operator()(const SystemMessage& message) const {
    return count("system") + count(message.text);
  }
  std::int64_t operator()(const HumanMessage& message) const {
    return count("user") + count(text_for_model(message));
  }
  std::int64_t operator()(const AiMessage& message) const {
    std::int64_t tokens = count("assistant") + count(message.text) + count(message.thinking);
    for (const ToolCall& call : message.tool_calls)
      tokens += count(call.name) + count(call.valid() ? call.args_json : call.invalid_args);
    return tokens;
  }
  std::int64_t operator()(const ToolMessage& message) const {
    return count("tool") + count(message.tool_name) + count(message.content);
  }
};

}  // namespace

std::int64_t message_tokens(const Message& message, const CountTokens& count) {
  return std::visit(Tokens{count}, message);
}

}  // namespace ba
