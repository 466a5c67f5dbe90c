#pragma once
// SPDX-License-Identifier: Apache-2.0
// Signs thinking blocks as the provider's newest models do: bound to the block's own text and to
// everything before it (system, tools, earlier messages), so that a block that was changed, or
// comes back in another conversation, is refused. Where a cache_control stands does not matter,
// nor whether a single text is a string or a block. Pure functions.

#include <string>
#include <string_view>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"

namespace ba::scripted {

/// The signature of a thinking block that answers `request`.
std::string sign_thinking(std::string_view thinking, const Request& request);

/// Checks every thinking block of the request.
Refusal check_signatures(const Request& request);

}  // namespace ba::scripted
