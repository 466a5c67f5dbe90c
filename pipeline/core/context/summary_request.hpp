#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a model is asked that writes a summary of what a compression dropped, in place of the
// extracts that stand for it until then. Pure; any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pipeline/core/context/compression.hpp"

namespace ba {

struct SummaryRequest {
  std::string model;  ///< that is asked
  bool own = false;   ///< it reads the rest as well, and was named by nobody for this
  std::int64_t output_tokens_max = 0;  ///< of its reply: an own model may think first
  std::string round_id;                ///< the last round that it covers
  std::string content_hash;            ///< of the model and all that it is told: SHA-256 in hex
  std::string system;
  std::string text;
  std::int64_t input_tokens = 0;        ///< of all that it is told; estimated
  std::int64_t estimate_tokens = 0;     ///< with the reply
  std::int64_t estimate_micro_usd = 0;  ///< by the rules' price, whatever the model's is
};

/// Whether a summary is wanted of a history of so many messages, as the rules say.
bool wants_summary(const CompressionRules& rules, std::size_t messages);

/// The model that reads what is left of the history, and its window in tokens; 0: not known.
struct SummaryReader {
  std::string model;
  std::int64_t window = 0;
};

/// Of the rounds that the compression left summaries of. None: there are none, or so many messages
/// that not even their beginnings would fit.
std::optional<SummaryRequest> summary_request(std::span<const CountedMessage> history,
                                              const Compressed& compressed,
                                              const SummaryRules& rules,
                                              const SummaryReader& reader);

/// The message that takes the place of the extracts.
SystemMessage written_summary(const SummaryRequest& request, const SystemMessage& extract,
                              const std::string& text);

}  // namespace ba
