#pragma once
// SPDX-License-Identifier: Apache-2.0
// The way back from the id of a message to its place. A pure function; it stands apart from
// position.hpp, which everything includes, and is implemented beside it.

#include <optional>
#include <string_view>

#include "pipeline/text/message/position.hpp"

namespace ba {

/// What an id made by message_id() says, of whichever job; `round_id` is its message's. None of an
/// id that wasn't.
std::optional<Position> position_in(const MessageId& id, std::string_view round_id);

}  // namespace ba
