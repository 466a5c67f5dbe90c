#pragma once
// SPDX-License-Identifier: Apache-2.0
// What stands for the messages of a round that were dropped: the request, the tools and what each
// found, decisions, errors, the answer. Pure; any thread.

#include <span>
#include <string>
#include <vector>

#include "pipeline/core/context/history_rounds.hpp"

namespace ba {

/// One SystemMessage with additional_kwargs.compressed and original_round_id, made of all messages
/// of the round; its id follows from the round's.
SystemMessage round_summary(const std::string& round_id, std::span<const CountedMessage> messages,
                            const std::vector<std::string>& decision_words);

/// Sentences in which one of the words stands (in lower case), at most `most`.
std::vector<std::string> decisions_in(std::string_view text,
                                      const std::vector<std::string>& decision_words,
                                      std::size_t most);

}  // namespace ba
