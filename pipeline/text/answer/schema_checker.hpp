#pragma once
// SPDX-License-Identifier: Apache-2.0
// How schema_check.hpp checks: a function for each keyword, told from each other in a table. One
// object checks one value. Inside of this folder only.

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pipeline/text/answer/schema_index.hpp"

namespace ba {

/// One value against one schema. The first rule that is broken is what is told; among alternatives
/// none of which fits, that of the one that got deepest.
class SchemaChecker {
 public:
  explicit SchemaChecker(const SchemaIndex& index) : index_(index) {}

  /// As schema_violation().
  std::optional<std::string> check(const nlohmann::json& value);

 private:
  using Json = nlohmann::json;

  struct Violation {
    std::size_t depth = 0;
    std::string text;
  };
  /// What a keyword, whose value is `wanted`, says of `value`.
  using Rule = bool (SchemaChecker::*)(const Json& schema, const Json& wanted, const Json& value);
  using Rules = std::vector<std::pair<Rule, const Json*>>;
  struct NamedRule {
    std::string_view keyword;
    Rule rule;
  };
  static const std::array<NamedRule, 32> kRules;

  bool fits(const Json& schema, const Json& value);
  /// What the schema asks for, in the order of kRules; looked up once.
  const Rules& rules_of(const Json& schema);
  /// Counts what was done: false once it is too much.
  bool step(std::size_t count = 1);

  // What is told.
  std::string place() const;
  bool tell(std::string_view rule, const std::string& what);
  bool fail(std::string_view rule, const std::string& wanted, const Json& value);
  bool inside(std::string part, const Json& schema, const Json& value);
  static std::string name_part(const std::string& name);

  // Any value.
  bool reference(const Json&, const Json& wanted, const Json& value);
  bool type(const Json&, const Json& wanted, const Json& value);
  bool choices(const Json&, const Json& wanted, const Json& value);
  bool constant(const Json&, const Json& wanted, const Json& value);
  bool all_of(const Json&, const Json& wanted, const Json& value);
  bool any_of(const Json&, const Json& wanted, const Json& value);
  bool one_of(const Json&, const Json& wanted, const Json& value);
  bool none_fits(std::string_view rule, const Json& alternatives, const Json& value,
                 Violation deepest);
  bool negation(const Json&, const Json& wanted, const Json& value);
  bool condition(const Json& schema, const Json& wanted, const Json& value);

  // Numbers.
  template <typename Compare>
  bool bound(std::string_view rule, const char* words, const Json& wanted, const Json& value,
             Compare good);
  bool minimum(const Json&, const Json& wanted, const Json& value);
  bool maximum(const Json&, const Json& wanted, const Json& value);
  bool exclusive_minimum(const Json&, const Json& wanted, const Json& value);
  bool exclusive_maximum(const Json&, const Json& wanted, const Json& value);
  bool multiple_of(const Json&, const Json& wanted, const Json& value);

  // Texts.
  bool min_length(const Json&, const Json& wanted, const Json& value);
  bool max_length(const Json&, const Json& wanted, const Json& value);
  long double length(const Json& value);
  bool pattern(const Json&, const Json& wanted, const Json& value);
  bool matches(const std::string& pattern, const std::string& text);

  // Arrays.
  bool items(const Json& schema, const Json& wanted, const Json& value);
  bool min_items(const Json&, const Json& wanted, const Json& value);
  bool max_items(const Json&, const Json& wanted, const Json& value);
  bool unique_items(const Json&, const Json& wanted, const Json& value);
  bool contains(const Json&, const Json& wanted, const Json& value);

  // Objects.
  bool required(const Json&, const Json& wanted, const Json& value);
  bool min_properties(const Json&, const Json& wanted, const Json& value);
  bool max_properties(const Json&, const Json& wanted, const Json& value);
  bool properties(const Json&, const Json& wanted, const Json& value);
  bool pattern_properties(const Json&, const Json& wanted, const Json& value);
  bool additional_properties(const Json& schema, const Json& wanted, const Json& value);
  bool declared(const Json& schema, const std::string& name);
  static std::string known_names(const Json& schema);
  bool property_names(const Json&, const Json& wanted, const Json& value);
  bool dependencies(const Json&, const Json& wanted, const Json& value);

  const SchemaIndex& index_;
  std::unordered_map<const Json*, Rules> rules_;
  std::vector<std::string> path_;
  Violation violation_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  bool spent_ = false;  ///< the bound is reached: nothing is valid any more
};

/// What is wrong with the value: its place, what is there, what the rule wants and the rule's name.
/// None: it is valid. At most 1000 characters on one line, storable.
std::optional<std::string> schema_violation(const SchemaIndex& schema, const nlohmann::json& value);

}  // namespace ba
