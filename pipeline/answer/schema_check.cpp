// SPDX-License-Identifier: Apache-2.0
#include "pipeline/answer/schema_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "pipeline/message/utf8.hpp"
#include "pipeline/tool/output_level.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kStepsMax = 1'000'000;
constexpr int kDepthMax = 1000;  ///< schemas within each other while checking
constexpr std::size_t kShownValue = 80;
constexpr std::size_t kShownNames = 20;
constexpr std::size_t kViolationMax = 1000;

/// A few words, however large the value is: while alternatives are tried, much is told that nobody
/// hears.
std::string shown(const Json& value) {
  if (value.is_object()) return "an object of " + std::to_string(value.size()) + " properties";
  if (value.is_array()) return "an array of " + std::to_string(value.size()) + " items";
  if (!value.is_string()) return value.dump();
  const std::string_view start = utf8_prefix(value.get_ref<const std::string&>(), 4 * kShownValue);
  return cut_code_points(Json(start).dump(), kShownValue);
}

std::string listed(const Json& values) {
  std::string text;
  std::size_t count = 0;
  for (const Json& value : values) {
    if (count++ == kShownNames) return text + ", …";
    text += (count > 1 ? ", " : "") + shown(value);
  }
  return text;
}

/// Of a whole number no digit is lost.
long double number_of(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  return value.get<double>();
}

bool is_whole(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::nearbyint(value.get<double>()) == value.get<double>());
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "integer") return is_whole(value);
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "boolean") return value.is_boolean();
  return value.is_null();
}

/// 0.3 is a multiple of 0.1, though the quotient of the two doubles is no whole number.
bool is_multiple(const Json& value, const Json& divisor) {
  if (value.is_number_integer() && divisor.is_number_integer() && !value.is_number_unsigned())
    return value.get<std::int64_t>() % divisor.get<std::int64_t>() == 0;
  if (value.is_number_unsigned() && divisor.is_number_integer())
    return value.get<std::uint64_t>() % divisor.get<std::uint64_t>() == 0;
  const long double quotient = number_of(value) / number_of(divisor);
  return std::fabs(quotient - std::nearbyint(quotient)) <=
         1e-9L * std::max(1.0L, std::fabs(quotient));
}

/// 1.0 as 1, so that equal values have the same text.
void make_whole(Json& value) {
  if (value.is_number_float() && is_whole(value) && std::fabs(value.get<double>()) <= 0x1p53)
    value = static_cast<std::int64_t>(value.get<double>());
  if (value.is_structured())
    for (Json& inner : value) make_whole(inner);
}

bool holds(const Json& schema, const char* name) {
  const auto found = schema.find(name);
  return found != schema.end() && found->is_object();
}

/// One value against one schema. The first rule that is broken is what is told; among alternatives
/// none of which fits, that of the one that got deepest.
class Checker {
 public:
  explicit Checker(const SchemaIndex& index) : index_(index) {}

  std::optional<std::string> check(const Json& value) {
    const bool valid = fits(index_.root(), value);
    if (spent_) return "the answer is too large or too deep to be checked against the schema";
    if (valid) return std::nullopt;
    return storable(cut_code_points(violation_.text, kViolationMax));
  }

 private:
  struct Violation {
    std::size_t depth = 0;
    std::string text;
  };
  using Rule = bool (Checker::*)(const Json& schema, const Json& wanted, const Json& value);
  struct NamedRule {
    std::string_view keyword;
    Rule rule;
  };
  static const std::array<NamedRule, 32> kRules;

  bool fits(const Json& schema, const Json& value) {
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

  using Rules = std::vector<std::pair<Rule, const Json*>>;

  /// What the schema asks for, in the order of kRules; looked up once.
  const Rules& rules_of(const Json& schema) {
    const auto [found, is_new] = rules_.try_emplace(&schema);
    if (is_new)
      for (const NamedRule& each : kRules)
        if (const auto wanted = schema.find(each.keyword); wanted != schema.end())
          found->second.emplace_back(each.rule, &*wanted);
    return found->second;
  }

  bool step(std::size_t count = 1) {
    steps_ += static_cast<std::int64_t>(count);
    spent_ = spent_ || steps_ > kStepsMax;
    return !spent_;
  }

  // ---- what is told --------------------------------------------------------------------------

  std::string place() const {
    std::string text;
    for (const std::string& part : path_)
      text += (text.empty() || part.front() == '[' ? "" : ".") + part;
    return text;
  }

  bool tell(std::string_view rule, const std::string& what) {
    const std::string where = place();
    violation_ = {path_.size(), (where.empty() ? "the answer" : where) + ": " + what + " (rule \"" +
                                    std::string(rule) + "\")"};
    return false;
  }

  bool fail(std::string_view rule, const std::string& wanted, const Json& value) {
    step(8);
    return tell(rule, shown(value) + " is there; " + wanted);
  }

  bool inside(std::string part, const Json& schema, const Json& value) {
    path_.push_back(std::move(part));
    const bool good = fits(schema, value);
    path_.pop_back();
    return good;
  }

  static std::string name_part(const std::string& name) {
    return std::string(utf8_prefix(name, kShownValue));
  }

  // ---- any value -----------------------------------------------------------------------------

  bool reference(const Json&, const Json& wanted, const Json& value) {
    return fits(index_.target(wanted.get_ref<const std::string&>()), value);
  }

  bool type(const Json&, const Json& wanted, const Json& value) {
    if (wanted.is_string())
      return is_of_type(value, wanted.get_ref<const std::string&>()) ||
             fail("type", "it must be of type " + wanted.get<std::string>(), value);
    for (const Json& each : wanted)
      if (is_of_type(value, each.get_ref<const std::string&>())) return true;
    return fail("type", "it must be of one of the types " + listed(wanted), value);
  }

  bool choices(const Json&, const Json& wanted, const Json& value) {
    if (!step(wanted.size())) return false;
    if (std::find(wanted.begin(), wanted.end(), value) != wanted.end()) return true;
    return fail("enum", "it must be one of " + listed(wanted), value);
  }

  bool constant(const Json&, const Json& wanted, const Json& value) {
    return value == wanted || fail("const", "it must be " + shown(wanted), value);
  }

  bool all_of(const Json&, const Json& wanted, const Json& value) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const Json& each) { return fits(each, value); });
  }

  bool any_of(const Json&, const Json& wanted, const Json& value) {
    Violation deepest;
    for (const Json& each : wanted) {
      if (fits(each, value)) return true;
      if (spent_) return false;
      if (violation_.depth > deepest.depth) deepest = violation_;
    }
    return none_fits("anyOf", wanted, value, std::move(deepest));
  }

  bool one_of(const Json&, const Json& wanted, const Json& value) {
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

  bool none_fits(std::string_view rule, const Json& alternatives, const Json& value,
                 Violation deepest) {
    if (deepest.depth > path_.size()) {
      violation_ = std::move(deepest);
      return false;
    }
    return fail(rule, "it fits none of " + std::to_string(alternatives.size()) + " alternatives",
                value);
  }

  bool negation(const Json&, const Json& wanted, const Json& value) {
    if (!fits(wanted, value)) return !spent_;
    return fail("not", "it must not fit the schema under \"not\"", value);
  }

  bool condition(const Json& schema, const Json& wanted, const Json& value) {
    const char* branch = fits(wanted, value) ? "then" : "else";
    if (spent_) return false;
    const auto next = schema.find(branch);
    return next == schema.end() || fits(*next, value);
  }

  // ---- numbers -------------------------------------------------------------------------------

  template <typename Compare>
  bool bound(std::string_view rule, const char* words, const Json& wanted, const Json& value,
             Compare good) {
    return !value.is_number() || good(number_of(value), number_of(wanted)) ||
           fail(rule, words + shown(wanted), value);
  }

  bool minimum(const Json&, const Json& wanted, const Json& value) {
    return bound("minimum", "it must be at least ", wanted, value, std::greater_equal<>());
  }
  bool maximum(const Json&, const Json& wanted, const Json& value) {
    return bound("maximum", "it must be at most ", wanted, value, std::less_equal<>());
  }
  bool exclusive_minimum(const Json&, const Json& wanted, const Json& value) {
    return bound("exclusiveMinimum", "it must be more than ", wanted, value, std::greater<>());
  }
  bool exclusive_maximum(const Json&, const Json& wanted, const Json& value) {
    return bound("exclusiveMaximum", "it must be less than ", wanted, value, std::less<>());
  }
  bool multiple_of(const Json&, const Json& wanted, const Json& value) {
    return !value.is_number() || is_multiple(value, wanted) ||
           fail("multipleOf", "it must be a multiple of " + shown(wanted), value);
  }

  // ---- texts ---------------------------------------------------------------------------------

  bool min_length(const Json&, const Json& wanted, const Json& value) {
    return !value.is_string() || length(value) >= number_of(wanted) ||
           fail("minLength", "it must have at least " + shown(wanted) + " characters", value);
  }
  bool max_length(const Json&, const Json& wanted, const Json& value) {
    return !value.is_string() || length(value) <= number_of(wanted) ||
           fail("maxLength", "it must have at most " + shown(wanted) + " characters", value);
  }
  long double length(const Json& value) {
    const auto& text = value.get_ref<const std::string&>();
    step(text.size() / 64);
    return static_cast<long double>(code_points(text));
  }
  bool pattern(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_string()) return true;
    return matches(wanted.get_ref<const std::string&>(), value.get_ref<const std::string&>()) ||
           fail("pattern", "it must match " + shown(wanted), value);
  }
  bool matches(const std::string& pattern, const std::string& text) {
    return step(1 + text.size() / 64) && RE2::PartialMatch(text, index_.pattern(pattern));
  }

  // ---- arrays --------------------------------------------------------------------------------

  bool items(const Json& schema, const Json& wanted, const Json& value) {
    if (!value.is_array()) return true;
    const Json* rest = wanted.is_array() ? nullptr : &wanted;
    if (wanted.is_array())
      if (const auto found = schema.find("additionalItems"); found != schema.end()) rest = &*found;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Json* one = wanted.is_array() && i < wanted.size() ? &wanted[i] : rest;
      if (one == nullptr) return true;
      if (!inside("[" + std::to_string(i) + "]", *one, value[i])) return false;
    }
    return true;
  }
  bool min_items(const Json&, const Json& wanted, const Json& value) {
    return !value.is_array() || static_cast<long double>(value.size()) >= number_of(wanted) ||
           fail("minItems", "it must have at least " + shown(wanted) + " items", value);
  }
  bool max_items(const Json&, const Json& wanted, const Json& value) {
    return !value.is_array() || static_cast<long double>(value.size()) <= number_of(wanted) ||
           fail("maxItems", "it must have at most " + shown(wanted) + " items", value);
  }
  bool unique_items(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_array() || !wanted.get<bool>()) return true;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
      Json item = value[i];
      make_whole(item);
      std::string text = item.dump();
      if (!step(1 + text.size() / 16)) return false;
      if (!seen.insert(std::move(text)).second)
        return fail("uniqueItems", "item [" + std::to_string(i) + "] is there twice", value);
    }
    return true;
  }
  bool contains(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_array()) return true;
    for (const Json& item : value)
      if (fits(wanted, item) || spent_) return !spent_;
    return fail("contains", "no item fits the schema under \"contains\"", value);
  }

  // ---- objects -------------------------------------------------------------------------------

  bool required(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_object()) return true;
    if (!step(wanted.size())) return false;
    for (const Json& name : wanted)
      if (!value.contains(name.get_ref<const std::string&>()))
        return tell("required", "property " + shown(name) + " is missing");
    return true;
  }
  bool min_properties(const Json&, const Json& wanted, const Json& value) {
    return !value.is_object() || static_cast<long double>(value.size()) >= number_of(wanted) ||
           fail("minProperties", "it must have at least " + shown(wanted) + " properties", value);
  }
  bool max_properties(const Json&, const Json& wanted, const Json& value) {
    return !value.is_object() || static_cast<long double>(value.size()) <= number_of(wanted) ||
           fail("maxProperties", "it must have at most " + shown(wanted) + " properties", value);
  }
  bool properties(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_object()) return true;
    for (const auto& [name, schema] : wanted.items()) {
      const auto found = value.find(name);
      if (found != value.end() && !inside(name_part(name), schema, *found)) return false;
    }
    return step(wanted.size());
  }
  bool pattern_properties(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_object()) return true;
    for (const auto& [pattern, schema] : wanted.items())
      for (const auto& [name, inner] : value.items())
        if (matches(pattern, name) && !inside(name_part(name), schema, inner)) return false;
    return !spent_;
  }
  bool additional_properties(const Json& schema, const Json& wanted, const Json& value) {
    if (!value.is_object()) return true;
    for (const auto& [name, inner] : value.items()) {
      if (!step()) return false;
      if (declared(schema, name)) continue;
      if (wanted.is_boolean() && !wanted.get<bool>())
        return tell("additionalProperties", "there may be no property " +
                                                shown(Json(name_part(name))) + "; there may be " +
                                                known_names(schema));
      if (!inside(name_part(name), wanted, inner)) return false;
    }
    return true;
  }
  bool declared(const Json& schema, const std::string& name) {
    if (holds(schema, "properties") && schema["properties"].contains(name)) return true;
    if (!holds(schema, "patternProperties")) return false;
    for (const auto& [pattern, unused] : schema["patternProperties"].items())
      if (matches(pattern, name)) return true;
    return false;
  }
  static std::string known_names(const Json& schema) {
    Json names = Json::array();
    if (holds(schema, "properties"))
      for (const auto& [name, unused] : schema["properties"].items()) names.push_back(name);
    return names.empty() ? "none" : listed(names);
  }
  bool property_names(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_object()) return true;
    for (const auto& [name, unused] : value.items())
      if (!fits(wanted, Json(name))) {
        if (spent_) return false;
        return tell("propertyNames",
                    "the name " + shown(Json(name_part(name))) + " is not allowed");
      }
    return true;
  }
  bool dependencies(const Json&, const Json& wanted, const Json& value) {
    if (!value.is_object()) return true;
    for (const auto& [name, needs] : wanted.items()) {
      if (!step()) return false;
      if (!value.contains(name)) continue;
      const bool good = needs.is_array() ? required(needs, needs, value) : fits(needs, value);
      if (!good) return false;
    }
    return true;
  }

  const SchemaIndex& index_;
  std::unordered_map<const Json*, Rules> rules_;
  std::vector<std::string> path_;
  Violation violation_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  bool spent_ = false;  ///< the bound is reached: nothing is valid any more
};

const std::array<Checker::NamedRule, 32> Checker::kRules{{
    {"$ref", &Checker::reference},
    {"type", &Checker::type},
    {"enum", &Checker::choices},
    {"const", &Checker::constant},
    {"minimum", &Checker::minimum},
    {"maximum", &Checker::maximum},
    {"exclusiveMinimum", &Checker::exclusive_minimum},
    {"exclusiveMaximum", &Checker::exclusive_maximum},
    {"multipleOf", &Checker::multiple_of},
    {"minLength", &Checker::min_length},
    {"maxLength", &Checker::max_length},
    {"pattern", &Checker::pattern},
    {"required", &Checker::required},
    {"minProperties", &Checker::min_properties},
    {"maxProperties", &Checker::max_properties},
    {"additionalProperties", &Checker::additional_properties},
    {"propertyNames", &Checker::property_names},
    {"properties", &Checker::properties},
    {"patternProperties", &Checker::pattern_properties},
    {"dependencies", &Checker::dependencies},
    {"dependentRequired", &Checker::dependencies},
    {"dependentSchemas", &Checker::dependencies},
    {"minItems", &Checker::min_items},
    {"maxItems", &Checker::max_items},
    {"items", &Checker::items},
    {"uniqueItems", &Checker::unique_items},
    {"contains", &Checker::contains},
    {"allOf", &Checker::all_of},
    {"anyOf", &Checker::any_of},
    {"oneOf", &Checker::one_of},
    {"not", &Checker::negation},
    {"if", &Checker::condition},
}};

}  // namespace

std::optional<std::string> schema_violation(const SchemaIndex& schema, const Json& value) {
  return Checker(schema).check(value);
}

}  // namespace ba
