#pragma once
// SPDX-License-Identifier: Apache-2.0
// A job's answers as JSON of a schema (JSON Schema draft 7). Pure functions; any thread.

#include <cstddef>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

inline constexpr std::size_t kAnswerSchemaBytesMax = 64 * 1024;
inline constexpr int kAnswerSchemaDepthMax = 32;

/// JSON without white space between its parts: names keep their order, numbers and texts their
/// spelling. `json` must be JSON.
std::string compact_json(std::string_view json);

/// Whether answers can be checked against the schema. InvalidArgument names the place in it:
/// too large or deep, no schema, a reference that leads out of it or in a circle, a keyword of a
/// later draft, a pattern that RE2 doesn't know.
Result<void> check_answer_schema(std::string_view schema);

/// The answer in a model's text, as compact_json. The text is JSON, or nothing but JSON between
/// ``` and ```. InvalidArgument names the place in the answer and the rule that it breaks, for the
/// model: at most 1000 characters on one line.
Result<std::string> read_answer(std::string_view schema, std::string_view text);

}  // namespace ba
