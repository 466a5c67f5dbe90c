// SPDX-License-Identifier: Apache-2.0
// Stored messages: what is valid survives being written and read.
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/fuzz/targets.hpp"

void ba::fuzz::stored_messages(std::string_view input) {
  const auto message = message_from_json(input);
  if (message && validate_message(*message)) {
    const auto again = message_from_json(message_to_json(*message));
    BA_ASSERT(again && *again == *message);
  }
  const auto history = messages_from_json(input);
  if (history && validate_history(*history, HistoryEnd::Open)) {
    const auto again = messages_from_json(messages_to_json(*history));
    BA_ASSERT(again && *again == *history);
  }
}
