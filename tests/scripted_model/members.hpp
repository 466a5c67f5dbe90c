#pragma once
// SPDX-License-Identifier: Apache-2.0
// Looks for members of an object that have no business there.

#include <span>
#include <string_view>

#include "tests/scripted_model/flat_json.hpp"

namespace ba::scripted {

/// The first member that is not in `allowed` (at most 64 names) or stands twice; nothing if all is
/// well.
JsonValue stray_member(const JsonValue& object, std::span<const std::string_view> allowed);

}  // namespace ba::scripted
