#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the messages of a Messages request: roles, blocks, and that every tool call is answered by
// exactly one result, in order, before anything else is said. One thread; keeps memory from
// request to request.

#include <vector>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"

namespace ba::scripted {

class AnthropicMessages {
 public:
  /// Fills the turns of the request.
  Refusal read(const JsonValue& messages, Request& request);

 private:
  Refusal check_message(const JsonValue& message, const Place& place, Request& request);
  Refusal check_user(const JsonValue& content, const Place& place, Request& request);
  Refusal check_result(const JsonValue& block, const Place& place, std::size_t answered,
                       Request& request);
  Refusal check_assistant(const JsonValue& content, const Place& place, Request& request);
  Refusal check_assistant_block(const JsonValue& block, const Place& place, Request& request);
  Refusal check_call(const JsonValue& block, const Place& place, Request& request);

  std::vector<JsonValue> open_calls_;  ///< ids of the newest assistant message's calls
  std::vector<JsonValue> all_calls_;   ///< ids of all calls so far
};

}  // namespace ba::scripted
