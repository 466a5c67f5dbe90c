#pragma once
// SPDX-License-Identifier: Apache-2.0
// The keywords of JSON Schema that hold schemas (draft 7, and those of later drafts that mean the
// same). Pure; any thread.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ba {

/// Where a schema within a schema applies.
enum class SchemaReach {
  Here,    ///< to the same value
  Within,  ///< to parts of the value
  Nowhere  ///< to what refers to it
};

/// Calls `visit(place, schema, reach)` for each schema right within `schema`, which is in form (see
/// schema_flaw). `place` reads "properties.a" or "allOf[1]".
void for_each_schema_in(
    const nlohmann::json& schema,
    const std::function<void(const std::string&, const nlohmann::json&, SchemaReach)>& visit);

/// A keyword that draft 7 doesn't have and that changes which values are valid.
bool is_later_keyword(std::string_view keyword);

}  // namespace ba
