#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a SQL text means, as a port: only PostgreSQL's own parser can tell, and that is no part of
// the core. The implementation is in worker/tools. Any thread.

#include <optional>
#include <string>
#include <string_view>

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

class SqlReader {
 public:
  virtual ~SqlReader() = default;

  /// InvalidArgument when it is not exactly one statement that the parser can read.
  virtual Result<SqlReading> read(std::string_view sql) const = 0;
};

}  // namespace ba
