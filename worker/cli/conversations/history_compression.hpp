#pragma once
// SPDX-License-Identifier: Apache-2.0
// What would become of an exported conversation that is too long for a window. Pure functions but
// for the counter; its thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/context/context_view.hpp"
#include "worker/config/text_counter.hpp"

namespace ba {

struct HistoryCompression {
  std::vector<Message> messages;         ///< what a model would be sent
  std::vector<CompressionEvent> events;  ///< none: the whole history
  std::int64_t tokens = 0;               ///< of the history, without margin
  std::string summary;                   ///< that a model would be asked for; empty: none
};

/// `json` is what LangChain's messages_to_dict writes. Ids that its messages don't have are given;
/// where there are no round ids, a round begins with what the user says.
Result<std::vector<Message>> read_exported_history(std::string_view json);

struct CompressionQuestion {
  std::string model;  ///< that would read it; empty: not known
  std::int64_t window = 200'000;
  CompressionRules rules;
  TextCounter count;
  std::int64_t margin_millionths = 1'000'000;
};

/// As if the model was asked now for the first time.
HistoryCompression compressed_for(const std::vector<Message>& history,
                                  const CompressionQuestion& question);

/// "extract: 120 messages, 170,000 tokens → 40 messages, 99,000 tokens"
std::string describe(const CompressionEvent& event);

}  // namespace ba
