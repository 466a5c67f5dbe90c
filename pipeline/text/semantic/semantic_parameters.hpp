#pragma once
// SPDX-License-Identifier: Apache-2.0
// The arguments of a call as what they mean: each read as its schema's `x-semantic` says. Pure; any
// thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

struct SqlReading {
  /// JSON, an object: the same for two texts that differ in nothing but case, white space,
  /// comments, redundant parentheses and quoting that changes nothing; different for any others.
  std::string canonical;
  /// Why the same text may have another result a moment later ("it asks for the time: now()").
  std::optional<std::string> not_cacheable;

  friend bool operator==(const SqlReading&, const SqlReading&) = default;
};

/// What a SQL text means, as a port: only PostgreSQL's own parser can tell, and that is no part of
/// the core. The implementation is in worker/tools. Any thread.
class SqlReader {
 public:
  virtual ~SqlReader() = default;

  /// InvalidArgument when it is not exactly one statement that the parser can read.
  virtual Result<SqlReading> read(std::string_view sql) const = 0;
};

/// How a parameter may be declared to be read: `x-semantic` in its schema.
inline constexpr std::string_view kSemanticKinds[]{"sql", "path", "url", "text", "set", "ignore"};

struct SemanticParameters {
  std::string canonical;  ///< JSON: RFC 8785, integers exact
  std::optional<std::string> not_cacheable;
};

/// `parameters` fit `schema` (both JSON objects) and have its defaults filled in. A text that is
/// declared as SQL and can't be read stays as it is and makes the call not cacheable.
/// InvalidArgument when either is not JSON.
Result<SemanticParameters> semantic_parameters(std::string_view parameters, std::string_view schema,
                                               const SqlReader& sql);

/// The same of parameters that were read.
Result<SemanticParameters> semantics_of(const nlohmann::ordered_json& values,
                                        std::string_view schema, const SqlReader& sql);

/// What is wrong with the declarations in a schema, each naming its place; empty: nothing.
std::vector<std::string> wrong_semantics(std::string_view schema);

}  // namespace ba
