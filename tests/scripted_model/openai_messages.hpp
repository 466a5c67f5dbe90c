#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the messages of a chat completions request: roles, contents, and that every tool call is
// answered by exactly one tool message, in order, before anything else is said. One thread; keeps
// memory from request to request.

#include <string>
#include <vector>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"

namespace ba::scripted {

class OpenAiMessages {
 public:
  /// Fills the turns of the request.
  Refusal read(const JsonValue& messages, Request& request);

 private:
  Refusal check_message(const JsonValue& message, const Place& place, Request& request);
  Refusal check_assistant(const JsonValue& message, const Place& place, Request& request);
  Refusal check_call(const JsonValue& call, const Place& place, Request& request);
  Refusal check_result(const JsonValue& message, const Place& place, Request& request);
  Refusal check_all_answered() const;

  JsonDocument arguments_;
  std::string arguments_text_;
  std::vector<JsonValue> open_calls_;  ///< ids of the newest assistant message's calls
  std::size_t answered_ = 0;           ///< how many of them
  std::vector<JsonValue> all_calls_;   ///< ids of all calls so far
};

}  // namespace ba::scripted
