#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool's schema as a provider takes it: the same where it fits, else rewritten so that it means
// the same or allows more. What a model gives is checked against the tool's own schema all the
// same. Pure; any thread.

#include <string>
#include <string_view>

#include "worker/llm/tool_rules.hpp"

namespace ba {

inline constexpr std::size_t kSentSchemaBytesMax = 256 * 1024;
inline constexpr std::size_t kReadSchemaBytesMax = 1024 * 1024;

struct FittedSchema {
  std::string
      schema;        ///< compact JSON; empty: none is sent, which says that there are no parameters
  std::string note;  ///< what the schema can't say, for the tool's description; mostly empty
  std::string fault;  ///< why there is none; for people
};

/// `schema` is JSON of the limits of json_shape.hpp. The same bytes for the same arguments.
FittedSchema fitted_schema(std::string_view schema, const ToolRules& rules);

}  // namespace ba
