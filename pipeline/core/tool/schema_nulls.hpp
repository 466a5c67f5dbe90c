#pragma once
// SPDX-License-Identifier: Apache-2.0
// Nulls that models write for what they don't want to give. Any thread.

#include <nlohmann/json_fwd.hpp>

namespace ba {

/// Takes the members out of arguments that are null where the schema allows no null and doesn't
/// require them, or has a default: they count as not given. Also in nested objects and in arrays,
/// through references and through allOf, anyOf and oneOf. Names that no schema declares stay.
void drop_nulls(const nlohmann::ordered_json& schema, nlohmann::ordered_json& arguments);

/// `nullable: true`, OpenAPI's word for a value that may be null, in the words of JSON Schema.
void take_nullable(nlohmann::ordered_json& schema);

}  // namespace ba
