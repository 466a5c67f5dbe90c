// SPDX-License-Identifier: Apache-2.0
#include "ops/scripted_model/request.hpp"

namespace ba::scripted {

namespace {

bool is_text(const JsonValue& type) {
  return type.equals("text") || type.equals("input_text") || type.equals("output_text");
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::Anthropic:
      return "anthropic";
    case Protocol::OpenAi:
      return "openai";
    case Protocol::OpenAiResponses:
      break;
  }
  return "openai_responses";
}

std::string Turn::text() const {
  if (content.is(JsonKind::String)) return content.text();
  std::string out;
  if (!content.is(JsonKind::Array)) return out;
  JsonValue block = content.first();
  for (std::uint32_t left = content.size(); left > 0; --left, block = block.next()) {
    if (is_text(block["type"])) block["text"].append_text(out);
  }
  return out;
}

void Request::clear() {
  std::vector<Turn> kept = std::move(turns);
  kept.clear();
  *this = Request{};
  turns = std::move(kept);
}

void Request::add_turn(Turn::Kind kind, JsonValue content) {
  if (kind == Turn::Kind::Assistant) cached_bytes = input_bytes;
  if (content) add_input(content.raw().size());
  Turn turn{kind, content, false};
  // Nobody said it: what it repeats is the question before it.
  if (kind == Turn::Kind::Human && turn.text().starts_with("<system-reminder>\n# Context Reminder"))
    return;
  turns.push_back(std::move(turn));
}

}  // namespace ba::scripted
