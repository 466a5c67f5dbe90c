// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/schema_checker.hpp"

#include <algorithm>

#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/answer/schema_values.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {

using namespace schema_values;

namespace {

constexpr std::int64_t kStepsMax = 1'000'000;
constexpr int kDepthMax = 1000;  ///< schemas within each other while checking
constexpr std::size_t kViolationMax = 1000;

}  // namespace

const std::array<SchemaChecker::NamedRule, 32> SchemaChecker::kRules{{
    {"$ref", &SchemaChecker::reference},
    {"type", &SchemaChecker::type},
    {"enum", &SchemaChecker::choices},
    {"const", &SchemaChecker::constant},
    {"minimum", &SchemaChecker::minimum},
    {"maximum", &SchemaChecker::maximum},
    {"exclusiveMinimum", &SchemaChecker::exclusive_minimum},
    {"exclusiveMaximum", &SchemaChecker::exclusive_maximum},
    {"multipleOf", &SchemaChecker::multiple_of},
    {"minLength", &SchemaChecker::min_length},
    {"maxLength", &SchemaChecker::max_length},
    {"pattern", &SchemaChecker::pattern},
    {"required", &SchemaChecker::required},
    {"minProperties", &SchemaChecker::min_properties},
    {"maxProperties", &SchemaChecker::max_properties},
    {"additionalProperties", &SchemaChecker::additional_properties},
    {"propertyNames", &SchemaChecker::property_names},
    {"properties", &SchemaChecker::properties},
    {"patternProperties", &SchemaChecker::pattern_properties},
    {"dependencies", &SchemaChecker::dependencies},
    {"dependentRequired", &SchemaChecker::dependencies},
    {"dependentSchemas", &SchemaChecker::dependencies},
    {"minItems", &SchemaChecker::min_items},
    {"maxItems", &SchemaChecker::max_items},
    {"items", &SchemaChecker::items},
    {"uniqueItems", &SchemaChecker::unique_items},
    {"contains", &SchemaChecker::contains},
    {"allOf", &SchemaChecker::all_of},
    {"anyOf", &SchemaChecker::any_of},
    {"oneOf", &SchemaChecker::one_of},
    {"not", &SchemaChecker::negation},
    {"if", &SchemaChecker::condition},
}};

std::optional<std::string> SchemaChecker::check(const Json& value) {
  const bool valid = fits(index_.root(), value);
  if (spent_) return "the answer is too large or too deep to be checked against the schema";
  if (valid) return std::nullopt;
  return storable(cut_code_points(violation_.text, kViolationMax));
}

bool SchemaChecker::fits(const Json& schema, const Json& value) {
  if (!step()) return false;
  if (schema.is_boolean())
    return schema.get<bool>() || fail("false", "nothing is allowed here", value);
  if (++depth_ > kDepthMax) spent_ = true;
  bool good = !spent_;
  for (const auto& [rule, wanted] : rules_of(schema)) {
    if (!good) break;
    good = (this->*rule)(schema, *wanted, value);
  }
  --depth_;
  return good && !spent_;
}

const SchemaChecker::Rules& SchemaChecker::rules_of(const Json& schema) {
  const auto [found, is_new] = rules_.try_emplace(&schema);
  if (is_new)
    for (const NamedRule& each : kRules)
      if (const auto wanted = schema.find(each.keyword); wanted != schema.end())
        found->second.emplace_back(each.rule, &*wanted);
  return found->second;
}

bool SchemaChecker::step(std::size_t count) {
  steps_ += static_cast<std::int64_t>(count);
  spent_ = spent_ || steps_ > kStepsMax;
  return !spent_;
}

// ---- what is told ------------------------------------------------------------------------------

std::string SchemaChecker::place() const {
  std::string text;
  for (const std::string& part : path_)
    text += (text.empty() || part.front() == '[' ? "" : ".") + part;
  return text;
}

bool SchemaChecker::tell(std::string_view rule, const std::string& what) {
  const std::string where = place();
  violation_ = {path_.size(), (where.empty() ? "the answer" : where) + ": " + what + " (rule \"" +
                                  std::string(rule) + "\")"};
  return false;
}

bool SchemaChecker::fail(std::string_view rule, const std::string& wanted, const Json& value) {
  step(8);
  return tell(rule, shown(value) + " is there; " + wanted);
}

bool SchemaChecker::inside(std::string part, const Json& schema, const Json& value) {
  path_.push_back(std::move(part));
  const bool good = fits(schema, value);
  path_.pop_back();
  return good;
}

std::string SchemaChecker::name_part(const std::string& name) {
  return std::string(utf8_prefix(name, kShownValue));
}

// ---- any value ---------------------------------------------------------------------------------

bool SchemaChecker::reference(const Json&, const Json& wanted, const Json& value) {
  return fits(index_.target(wanted.get_ref<const std::string&>()), value);
}

bool SchemaChecker::type(const Json&, const Json& wanted, const Json& value) {
  if (wanted.is_string())
    return is_of_type(value, wanted.get_ref<const std::string&>()) ||
           fail("type", "it must be of type " + wanted.get<std::string>(), value);
  for (const Json& each : wanted)
    if (is_of_type(value, each.get_ref<const std::string&>())) return true;
  return fail("type", "it must be of one of the types " + listed(wanted), value);
}

bool SchemaChecker::choices(const Json&, const Json& wanted, const Json& value) {
  if (!step(wanted.size())) return false;
  for (const Json& each : wanted)
    if (same(each, value)) return true;
  return fail("enum", "it must be one of " + listed(wanted), value);
}

bool SchemaChecker::constant(const Json&, const Json& wanted, const Json& value) {
  return same(value, wanted) || fail("const", "it must be " + shown(wanted), value);
}

bool SchemaChecker::all_of(const Json&, const Json& wanted, const Json& value) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const Json& each) { return fits(each, value); });
}

bool SchemaChecker::any_of(const Json&, const Json& wanted, const Json& value) {
  Violation deepest;
  for (const Json& each : wanted) {
    if (fits(each, value)) return true;
    if (spent_) return false;
    if (violation_.depth > deepest.depth) deepest = violation_;
  }
  return none_fits("anyOf", wanted, value, std::move(deepest));
}

bool SchemaChecker::one_of(const Json&, const Json& wanted, const Json& value) {
  Violation deepest;
  int fitting = 0;
  for (const Json& each : wanted) {
    if (fits(each, value))
      ++fitting;
    else if (violation_.depth > deepest.depth)
      deepest = violation_;
    if (spent_) return false;
  }
  if (fitting > 1)
    return fail("oneOf", "it fits " + std::to_string(fitting) + " alternatives, not just one",
                value);
  return fitting == 1 || none_fits("oneOf", wanted, value, std::move(deepest));
}

bool SchemaChecker::none_fits(std::string_view rule, const Json& alternatives, const Json& value,
                              Violation deepest) {
  if (deepest.depth > path_.size()) {
    violation_ = std::move(deepest);
    return false;
  }
  return fail(rule, "it fits none of " + std::to_string(alternatives.size()) + " alternatives",
              value);
}

bool SchemaChecker::negation(const Json&, const Json& wanted, const Json& value) {
  if (!fits(wanted, value)) return !spent_;
  return fail("not", "it must not fit the schema under \"not\"", value);
}

bool SchemaChecker::condition(const Json& schema, const Json& wanted, const Json& value) {
  const char* branch = fits(wanted, value) ? "then" : "else";
  if (spent_) return false;
  const auto next = schema.find(branch);
  return next == schema.end() || fits(*next, value);
}

std::optional<std::string> schema_violation(const SchemaIndex& schema,
                                            const nlohmann::json& value) {
  return SchemaChecker(schema).check(value);
}

}  // namespace ba
