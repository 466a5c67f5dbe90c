// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_check.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/schema_defaults.hpp"
#include "pipeline/core/tool/schema_form.hpp"
#include "pipeline/core/tool/schema_nulls.hpp"
#include "pipeline/core/tool/schema_numbers.hpp"
#include "pipeline/core/tool/schema_parts.hpp"
#include "pipeline/text/message/json_proof.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;
using valijson::adapters::NlohmannJsonAdapter;

constexpr const char* kLevelKey = "output_level";
constexpr std::size_t kShownValue = 80;
constexpr std::size_t kShownChoices = 20;
/// std::regex, which valijson uses for `pattern`, recurses once per character.
constexpr std::size_t kPatternTextMax = 4096;
constexpr std::int64_t kDefaultsBytesMax = 10 << 20;

std::string compact(const Json& value) { return dump_exact(value); }

std::string shown(const Json& value) { return cut_code_points(compact(value), kShownValue); }

/// `"a", "b"` of an array, or of an object's keys.
std::string listed(const Json& values, bool keys) {
  std::string text;
  std::size_t count = 0;
  for (auto item = values.begin(); item != values.end(); ++item, ++count) {
    if (count == kShownChoices) return text + ", …";
    text += (count > 0 ? ", " : "") + (keys ? item.key() : shown(*item));
  }
  return text;
}

// ---- what a schema allows, in words
// --------------------------------------------------------------

void add_bound(std::string& text, const Json& schema, const char* key, const char* words) {
  const auto bound = schema.find(key);
  if (bound == schema.end()) return;
  text += (text.empty() ? "" : ", ") + std::string(words) + " " + shown(*bound);
}

/// "integer, at least 1, at most 100"; empty when the schema says nothing that has words here.
std::string allowed_by(const Json& schema) {
  std::string text;
  if (!schema.is_object()) return text;
  if (const auto choices = schema.find("enum"); choices != schema.end() && choices->is_array())
    return "one of " + listed(*choices, false);
  if (const auto type = schema.find("type"); type != schema.end())
    text = type->is_string() ? type->get<std::string>() : "one of " + listed(*type, false);
  add_bound(text, schema, "const", "exactly");
  add_bound(text, schema, "minimum", "at least");
  add_bound(text, schema, "exclusiveMinimum", "more than");
  add_bound(text, schema, "maximum", "at most");
  add_bound(text, schema, "exclusiveMaximum", "less than");
  add_bound(text, schema, "multipleOf", "a multiple of");
  add_bound(text, schema, "minLength", "characters at least");
  add_bound(text, schema, "maxLength", "characters at most");
  add_bound(text, schema, "minItems", "items at least");
  add_bound(text, schema, "maxItems", "items at most");
  add_bound(text, schema, "pattern", "matching");
  return text;
}

// ---- why arguments were refused
// ------------------------------------------------------------------

/// A place in the arguments: how it reads, its value, and what the schema says there.
struct Place {
  std::string path;
  const Json* value;
  const Json* schema;
  bool required = false;  ///< by the object that it is a member of
};

const Json& nothing() {
  static const Json null;
  return null;
}

const Json& child(const Json& parent, const char* key, const std::string& name) {
  const auto outer = parent.is_object() ? parent.find(key) : parent.end();
  if (outer == parent.end() || !outer->is_object()) return nothing();
  const auto inner = outer->find(name);
  return inner == outer->end() ? nothing() : *inner;
}

bool requires_member(const Json& schema, const std::string& name) {
  const auto required = schema.is_object() ? schema.find("required") : schema.end();
  return schema.is_object() && required != schema.end() &&
         std::find(required->begin(), required->end(), name) != required->end();
}

void enter(Place& place, const std::string& segment) {
  const std::string name = segment.substr(1, segment.size() - 2);  // "[name]" or "[0]"
  if (place.value->is_array()) {
    place.path += segment;
    place.required = false;
    const std::size_t index = std::stoul(name);
    place.value = index < place.value->size() ? &(*place.value)[index] : &nothing();
    const auto items =
        place.schema->is_object() ? place.schema->find("items") : place.schema->end();
    place.schema = items == place.schema->end() ? &nothing() : &*items;
    return;
  }
  place.path += (place.path.empty() ? "" : ".") + name;
  const auto value = place.value->is_object() ? place.value->find(name) : place.value->end();
  place.value = value == place.value->end() ? &nothing() : &*value;
  place.required = requires_member(*place.schema, name);
  place.schema = &child(*place.schema, "properties", name);
}

std::string in_quotes(const std::string& text) {
  const std::size_t from = text.find('\'');
  const std::size_t to = text.rfind('\'');
  return from < to ? text.substr(from + 1, to - from - 1) : std::string();
}

/// At the top with what every call may have, whose schema doesn't name it.
std::string names_at(const Place& place) {
  const auto known =
      place.schema->is_object() ? place.schema->find("properties") : place.schema->end();
  std::string names = known == place.schema->end() ? "" : listed(*known, true);
  if (place.path.empty()) names += (names.empty() ? "" : ", ") + std::string(kLevelKey);
  return names.empty() ? "none" : names;
}

std::string reason(const Place& place, const std::string& description) {
  const std::string prefix = place.path.empty() ? "" : place.path + ".";
  if (description.starts_with("Missing required")) {
    const std::string name = in_quotes(description);
    const std::string allowed = allowed_by(child(*place.schema, "properties", name));
    return prefix + name + ": this required parameter is missing" +
           (allowed.empty() ? "" : "; expected " + allowed);
  }
  if (description.starts_with("Object contains a property")) {
    // The text itself has quotes around 'properties': the name stands between the last two.
    const std::size_t to = description.rfind('\'');
    const std::size_t from = description.rfind('\'', to - 1);
    return prefix + description.substr(from + 1, to - from - 1) +
           ": there is no such parameter; there are: " + names_at(place);
  }
  const std::string allowed = allowed_by(*place.schema);
  if (place.required && place.value->is_null())
    return place.path + ": null is not allowed, this parameter is required; expected " +
           (allowed.empty() ? description : allowed);
  return (place.path.empty() ? "arguments" : place.path) + ": " + shown(*place.value) +
         " is not allowed; expected " + (allowed.empty() ? description : allowed);
}

std::string explain(const Json& schema, const Json& args, valijson::ValidationResults& results) {
  valijson::ValidationResults::Error deepest;
  valijson::ValidationResults::Error error;
  while (results.popError(error))
    if (error.context.size() > deepest.context.size()) deepest = error;
  Place place{"", &args, &schema};
  for (std::size_t i = 1; i < deepest.context.size(); ++i) enter(place, deepest.context[i]);
  return reason(place, deepest.description);
}

// ---- arguments
// -----------------------------------------------------------------------------------

bool has_long_text(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size() > kPatternTextMax;
  if (value.is_structured())
    for (const auto& inner : value)
      if (has_long_text(inner)) return true;
  return false;
}

Result<std::optional<OutputLevel>> take_level(Json& args) {
  const auto asked = args.find(kLevelKey);
  if (asked == args.end()) return std::optional<OutputLevel>();
  const auto level =
      asked->is_string() ? parse_output_level(asked->get<std::string>()) : std::nullopt;
  if (!level && !asked->is_null())
    return invalid_argument("output_level: " + shown(*asked) +
                            " is not allowed; expected one of \"brief\", \"standard\", \"full\"");
  args.erase(kLevelKey);
  return level;
}

Json with_level(Json schema) {
  schema["properties"][kLevelKey] = {
      {"type", "string"},
      {"enum", {"brief", "standard", "full"}},
      {"description", "How detailed the result is: brief (a line), standard, full (everything)."}};
  return schema;
}

/// "x-semantic" and its like say something to us, or to a server's other clients; some providers
/// refuse a request for a keyword that they don't know. Names of properties and values stay.
void drop_own_keywords(Json& schema) {
  change_schemas(schema, [](Json& one) {
    for (auto member = one.begin(); member != one.end();)
      member = member.key().starts_with("x-") ? one.erase(member) : std::next(member);
  });
}

/// Why a schema can't be used, or nothing.
std::optional<std::string> unusable(const Json& schema) {
  if (schema.is_discarded()) return "the schema is not JSON of " + json_shape_limits();
  if (!schema.is_object() || schema.value("type", "object") != "object")
    return "the schema is not that of an object";
  if (const auto flaw = schema_flaw(schema)) return "the schema is not a JSON Schema: " + *flaw;
  const auto properties = schema.find("properties");
  if (properties != schema.end() && properties->contains(kLevelKey))
    return "the schema declares output_level, a reserved name";
  return std::nullopt;
}

/// To the library a NUL byte is the end of the text.
Json parse(std::string_view text) {
  const bool whole = text.find('\0') == std::string_view::npos;
  if (!whole || !json_shape(text).within_limits()) return Json(Json::value_t::discarded);
  return parse_exact<Json>(text);
}

/// Of arguments that aren't an object that can be read.
std::string fault_of(std::string_view arguments) {
  if (!json_shape(arguments).within_limits())
    return "the arguments are too deep or too wide: JSON of " + json_shape_limits() + " is allowed";
  if (const auto problem = json_problem(arguments, kJsonDepthMax))
    return "the arguments are not JSON: " + *problem;
  return "the arguments are not a JSON object of parameters, {\"name\": value}";
}

}  // namespace

struct SchemaCheck::Compiled {
  Json json;
  std::string for_models;
  bool has_pattern = false;
  valijson::Schema schema;
  valijson::Validator validator;
};

SchemaCheck::SchemaCheck(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
SchemaCheck::SchemaCheck(SchemaCheck&&) noexcept = default;
SchemaCheck& SchemaCheck::operator=(SchemaCheck&&) noexcept = default;
SchemaCheck::~SchemaCheck() = default;

Result<SchemaCheck> SchemaCheck::compile(std::string_view text, std::string_view shown) {
  auto compiled = std::make_unique<Compiled>();
  compiled->json = parse(text);
  Json for_models = compiled->json;
  try {
    if (const auto why = unusable(compiled->json)) return invalid_argument(*why);
    if (!shown.empty()) for_models = parse(shown);
    if (const auto why = unusable(for_models)) return invalid_argument(*why);
    take_nullable(compiled->json);
    const nlohmann::json plain = judging_schema(compiled->json);
    valijson::SchemaParser parser;
    parser.populateSchema(NlohmannJsonAdapter(plain), compiled->schema);
  } catch (const std::exception& error) {
    return invalid_argument(std::string("the schema is not a JSON Schema: ") + error.what());
  }
  drop_own_keywords(for_models);
  compiled->has_pattern = text.find("\"pattern") != std::string_view::npos;
  compiled->for_models = compact(with_level(for_models));
  return SchemaCheck(std::move(compiled));
}

const std::string& SchemaCheck::schema_for_models() const { return compiled_->for_models; }

Result<CheckedArguments> SchemaCheck::check(std::string_view text, std::int64_t bytes_max) const {
  BA_ASSERT(compiled_ != nullptr);
  if (text.size() > static_cast<std::size_t>(bytes_max))
    return invalid_argument("the arguments have " + std::to_string(text.size()) +
                            " bytes of JSON; at most " + std::to_string(bytes_max) +
                            " are allowed");
  Json args = parse(text);
  if (!args.is_object()) return invalid_argument(fault_of(text));
  Result<std::optional<OutputLevel>> level = take_level(args);
  if (!level) return level.error();
  if (compiled_->has_pattern && has_long_text(args))
    return invalid_argument("a text of more than " + std::to_string(kPatternTextMax) +
                            " bytes can't be checked against this tool's patterns");
  make_integers(compiled_->json, args);
  drop_nulls(compiled_->json, args);
  if (!fill_defaults(compiled_->json, args, kDefaultsBytesMax))
    return invalid_argument("the tool's defaults would add more than " +
                            std::to_string(kDefaultsBytesMax) + " bytes to these arguments");
  try {
    const nlohmann::json plain = judged_numbers(args);
    valijson::ValidationResults results;
    if (!compiled_->validator.validate(compiled_->schema, NlohmannJsonAdapter(plain), &results))
      return invalid_argument(explain(compiled_->json, args, results));
    if (auto misfit = inexact_misfit(compiled_->json, args))
      return invalid_argument(std::move(*misfit));
  } catch (const std::exception&) {
    return invalid_argument("the arguments can't be checked against the tool's schema");
  }
  return CheckedArguments{.parameters = compact(args), .output_level = *level};
}

}  // namespace ba
