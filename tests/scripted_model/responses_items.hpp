#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the input of a responses request: that every function call has exactly one output, in
// order, before anything else is said, and that each reasoning item stands, as it was sent, before
// the item it led to. One thread; keeps memory from request to request.

#include <string>
#include <vector>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"

namespace ba::scripted {

class ResponsesItems {
 public:
  /// Fills the turns of the request.
  Refusal read(const JsonValue& input, Request& request);

 private:
  Refusal check_items(const JsonValue& input, Request& request);
  Refusal check_item(const JsonValue& item, const Place& place, Request& request);
  Refusal check_message(const JsonValue& item, const Place& place, Request& request);
  Refusal check_call(const JsonValue& item, const Place& place, Request& request);
  Refusal check_output(const JsonValue& item, const Place& place, Request& request);
  Refusal check_reasoning(const JsonValue& item, const Place& place, Request& request);
  Refusal check_led_to(const JsonValue& item) const;
  Refusal check_nothing_is_missing() const;
  Refusal check_all_answered() const;
  Refusal begin_output(Request& request);

  JsonDocument arguments_;
  std::string arguments_text_;
  std::vector<JsonValue> open_calls_;  ///< call ids since the last outputs
  std::size_t answered_ = 0;           ///< how many of them
  std::vector<JsonValue> all_calls_;   ///< ids of all calls so far
  std::string reasoning_;              ///< id of the item before, if that is reasoning
};

}  // namespace ba::scripted
