#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where schemas stand within a JSON Schema, apart from values and names. Pure; any thread.

#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace ba {

/// Each schema within `schema`, and itself, inner ones first. What `change` makes of it stays.
void change_schemas(nlohmann::ordered_json& schema,
                    const std::function<void(nlohmann::ordered_json&)>& change);

}  // namespace ba
