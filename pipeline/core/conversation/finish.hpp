#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one place that turns an outcome into database change and messages.

#include "pipeline/core/conversation/event.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba {

/// Adds the end of the job to a delta: the terminal row with the result's bytes, the metrics, and
/// the outbox records (result, metrics report; its dead letter, where the ending has one).
/// `ending` is null for a completed job.
void add_finish(ConversationState& state, Delta& delta, const Ending* ending,
                const Publication& publication, const Moment& moment);

}  // namespace ba
