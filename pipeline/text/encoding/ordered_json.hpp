#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tree of JSON that the encodings write and read: members in the order in which they came.
// Declared only: who looks inside includes <nlohmann/json.hpp>. A value.

#include <nlohmann/json_fwd.hpp>

namespace ba {

using OrderedJson = nlohmann::ordered_json;

}  // namespace ba
