#pragma once
// SPDX-License-Identifier: Apache-2.0
// A value against a schema of answers (JSON Schema draft 7; what stands beside a `$ref` holds, too,
// as in later drafts; `format` and other annotations are passed over). Bounded in steps and depth,
// whatever schema and value are. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pipeline/text/answer/schema_index.hpp"

namespace ba {

/// What is wrong with the value: its place, what is there, what the rule wants and the rule's name.
/// None: it is valid. At most 1000 characters on one line, storable.
std::optional<std::string> schema_violation(const SchemaIndex& schema, const nlohmann::json& value);

}  // namespace ba
