#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a reply's reasoning item and the item it led to know each other: by ids of one hash, which
// is what lets a server without memory see that either was dropped, changed or moved. Pure
// functions.

#include <string>
#include <string_view>

#include "tests/scripted_model/flat_json.hpp"

namespace ba::scripted {

std::string reasoning_id(std::string_view hash);  ///< rs_<hash>

/// The id of the item that follows the reasoning: <prefix>r<hash>.
std::string led_to_id(std::string_view prefix, std::string_view hash);

/// The id of the reasoning that led to an item with this id; "" if none did.
std::string led_by(std::string_view item_id);

/// The encrypted content of a reasoning item with this summary.
std::string seal_reasoning(std::string_view id, std::string_view summary);

/// The texts of an item's summary, joined.
std::string summary_text(const JsonValue& summary);

}  // namespace ba::scripted
