#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes a foreign conversation one of this ledger. A pure function, any thread.

#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// Gives each message what messages of this ledger have: the conversation, a round ("inherited/"
/// and the earlier id, or a number: one begins with what a user says), and an id. An id that a
/// job's message could have, or none, becomes "inherited/<n>", and the earlier one stands in
/// additional_kwargs.imported_id: ids are unique within a history, and jobs to come bring theirs.
void settle_in(std::vector<Message>& history, const ConversationId& conversation);

}  // namespace ba
