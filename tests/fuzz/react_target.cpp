// SPDX-License-Identifier: Apache-2.0
// What a model wrote that calls tools in its text. What is read and written reads back the same,
// and what becomes of it can be stored. Whole or cut by the token limit, as the first byte says.
#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/llm/react_text/react_reply.hpp"

namespace ba::fuzz {
namespace {

std::string line(std::string_view label, std::string_view text) {
  return std::string(label) + " " + std::string(text) + "\n";
}

std::string text_of(const llm::ReactText& read) {
  std::string text;
  if (!read.thought.empty()) text += line(llm::kThoughtLabel, read.thought);
  for (const llm::ReactAction& action : read.actions)
    text += line(llm::kActionLabel, std::string(action.tool) + " " + std::string(action.arguments));
  if (read.answer) text += line(llm::kAnswerLabel, *read.answer);
  return text;
}

void check_round_trip(std::string_view text) {
  const auto read = llm::parse_react(text);
  if (!read) {
    BA_ASSERT(!read.error().message.empty());
    return;
  }
  BA_ASSERT(read->answer.has_value() == read->actions.empty());
  const std::string written = text_of(*read);
  const auto again = llm::parse_react(written);
  BA_ASSERT(again.has_value());
  BA_ASSERT(text_of(*again) == written);
}

void check_reply(std::string_view text, StopReason stop) {
  static const llm::ProviderConfig provider;
  static const llm::ModelConfig model;
  static const llm::LlmLimits limits;
  ModelReply reply;
  reply.stop = stop;
  reply.message.text = text;
  const auto result = llm::read_react_reply(reply, {provider, model, limits, {0, 1, true}});
  if (!result || utf8_defect(text)) return;
  BA_ASSERT(validate_reply(reply.message).has_value());
  if (reply.stop == StopReason::ToolUse) BA_ASSERT(!reply.message.tool_calls.empty());
}

}  // namespace

void react(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  if (input.front() == 'c') return check_reply(text, StopReason::MaxTokens);
  check_round_trip(text);
  check_reply(text, StopReason::EndTurn);
}

}  // namespace ba::fuzz
