#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads what a model wrote that calls tools in its text: lines that begin with `Thought:`,
// `Action:`, `Observation:` or `Final Answer:`, each going on until the next of them. Makes calls
// of it. Pure functions; the views look into the text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

inline constexpr std::string_view kThoughtLabel = "Thought:";
inline constexpr std::string_view kActionLabel = "Action:";
inline constexpr std::string_view kObservationLabel = "Observation:";
inline constexpr std::string_view kAnswerLabel = "Final Answer:";

struct ReactAction {
  std::string_view tool;
  std::string_view arguments;  ///< may be empty
};

struct ReactText {
  std::string thought;  ///< several ones joined
  std::vector<ReactAction> actions;
  std::optional<std::string_view> answer;
};

/// Whole replies: either actions, each with a tool and a JSON object (or nothing), or an answer.
/// An invented observation and all behind it don't count. Protocol: the text is anything else.
Result<ReactText> parse_react(std::string_view text);

/// A reply that the token limit ended: as much as there is, whatever it is.
ReactText parse_cut_react(std::string_view text);

/// Whether the reply that is read calls tools in its text.
bool calls_in_text(const ProtocolContext& context);

/// Turns the text of `reply` into what it means; a refusal and a stop that says nothing stay as
/// they are. Protocol: the text can't be read.
Result<void> read_react_reply(ModelReply& reply, const ProtocolContext& context);

}  // namespace ba::llm
