#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where schemas stand within a JSON Schema, apart from values and names. Pure; any thread.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace ba {

/// What the value of a keyword is: no schema; one ("items" of older drafts may be a list, too);
/// a list of them; or schemas by name ("dependencies" may have lists of names among them).
enum class SchemaPlace { None, One, List, Named };

/// The one list of the keywords that hold schemas, of all drafts.
SchemaPlace schema_place(std::string_view keyword);

/// Each schema within `schema`, and itself, inner ones first. What `change` makes of it stays.
void change_schemas(nlohmann::ordered_json& schema,
                    const std::function<void(nlohmann::ordered_json&)>& change);

}  // namespace ba
