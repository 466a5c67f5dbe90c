#pragma once
// SPDX-License-Identifier: Apache-2.0
// A schema of answers, read once: what its references lead to and its patterns, compiled. What
// can't be applied to any value in bounded time and memory is refused. Any thread.

#include <re2/re2.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

class SchemaIndex {
 public:
  /// InvalidArgument as of check_answer_schema().
  static Result<std::unique_ptr<const SchemaIndex>> read(std::string_view schema);

  const nlohmann::json& root() const { return root_; }
  /// Of a `$ref` of this schema.
  const nlohmann::json& target(const std::string& reference) const {
    return *targets_.at(reference);
  }
  /// Of a `pattern` or a name under `patternProperties` of this schema.
  const RE2& pattern(const std::string& text) const { return *patterns_.at(text); }

 private:
  friend class SchemaReader;
  SchemaIndex() = default;

  nlohmann::json root_;
  std::map<std::string, const nlohmann::json*> targets_;
  std::map<std::string, std::unique_ptr<RE2>> patterns_;
};

}  // namespace ba
