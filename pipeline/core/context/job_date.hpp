#pragma once
// SPDX-License-Identifier: Apache-2.0
// The date of the job under way, in a history that is made shorter: where the question that tells
// it goes, the next one that stays does. Pure but for the counter; its thread.

#include <cstddef>
#include <span>

#include "pipeline/core/context/compression.hpp"

namespace ba {

/// Of what compress() left, the first question behind the one that told the job's date and went
/// tells that from now on; how many tokens that takes. 0: nothing was told, or it is told still.
/// The messages from `first` on are the job's; what earlier jobs were told may go.
std::int64_t keep_job_date(std::span<const CountedMessage> history, std::size_t first,
                           const CountTokens& count, Compressed& compressed);

/// The question as it is sent then.
HumanMessage told_with(HumanMessage question, const KeptMessage& kept);

}  // namespace ba
