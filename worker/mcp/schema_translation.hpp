#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool's input schema (JSON Schema 2020-12) as the draft 7 that our own check of arguments
// understands. What can't be said there, or would be unsafe to run for a stranger (patterns), is
// left out: the server checks for itself. References are followed within the document only and
// replaced by what they name. Pure; any thread.

#include <string>

#include "pipeline/base/error.hpp"
#include "worker/mcp/json.hpp"

namespace ba::mcp {

inline constexpr int kSchemaNodesMax = 10'000;  ///< after references were replaced

/// The schema with the type that it leaves out, as arguments are an object: one with properties, or
/// that says nothing. Any other as it is.
Json with_object_type(Json input_schema);

/// InvalidArgument for a schema that is not that of an object, or refers to another document.
Result<std::string> draft7_schema(const Json& input_schema);

}  // namespace ba::mcp
