#pragma once
// SPDX-License-Identifier: Apache-2.0
// A model request after it was checked, in one form for all protocols. Points into the body it was
// read from: valid as long as that body and its JsonDocument.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scripted_model/flat_json.hpp"

namespace ba::scripted {

enum class Protocol { Anthropic, OpenAi, OpenAiResponses };

std::string_view to_string(Protocol protocol);  ///< "anthropic", "openai", "openai_responses"

/// One entry of the conversation. A user message with tool results and text makes several turns.
struct Turn {
  enum class Kind { Human, Assistant, Observation };
  Kind kind = Kind::Human;
  JsonValue content;          ///< a string, an array of blocks, null or nothing
  bool has_thinking = false;  ///< of an Assistant turn: it carries a thinking block or reasoning

  /// The text, or the text blocks joined; of what a user said, without the line that tells a date.
  std::string text() const;
  /// That line, where what a user said begins with it; else empty.
  std::string date_line() const;

 private:
  std::string whole_text() const;
};

struct Request {
  Protocol protocol = Protocol::Anthropic;
  std::string model;
  bool stream = false;
  bool include_usage = false;  ///< OpenAI stream_options
  int cache_marks = 0;         ///< Anthropic: how many cache_control there are
  std::int64_t max_tokens = 0;
  JsonValue system;  ///< Anthropic: a string or blocks; else nothing
  JsonValue tools;
  JsonValue messages;
  std::vector<Turn> turns;
  bool has_thinking = false;      ///< some message carries a signed thinking block
  std::int64_t input_bytes = 0;   ///< of system, tools and messages
  std::int64_t cached_bytes = 0;  ///< of these: what the request before this one held already

  void clear();
  void add_input(std::size_t bytes) { input_bytes += static_cast<std::int64_t>(bytes); }
  void add_turn(Turn::Kind kind, JsonValue content);  ///< counts it, too
};

}  // namespace ba::scripted
