// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_check.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/schema_defaults.hpp"
#include "pipeline/core/tool/schema_form.hpp"
#include "pipeline/core/tool/schema_nulls.hpp"
#include "pipeline/core/tool/schema_numbers.hpp"
#include "pipeline/core/tool/schema_parts.hpp"
#include "pipeline/core/tool/schema_refusal.hpp"
#include "pipeline/text/message/json_proof.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;
using valijson::adapters::NlohmannJsonAdapter;

/// std::regex, which valijson uses for `pattern`, recurses once per character.
constexpr std::size_t kPatternTextMax = 4096;
constexpr std::int64_t kDefaultsBytesMax = 10 << 20;

/// The deepest of them says most.
std::string explain(const Json& schema, const Json& args, valijson::ValidationResults& results) {
  valijson::ValidationResults::Error deepest;
  valijson::ValidationResults::Error error;
  while (results.popError(error))
    if (error.context.size() > deepest.context.size()) deepest = error;
  return refusal_text(schema, args, {deepest.context, deepest.description});
}

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
    return invalid_argument("output_level: " + shown_value(*asked) +
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
  compiled->for_models = dump_exact(with_level(for_models));
  return SchemaCheck(std::move(compiled));
}

const std::string& SchemaCheck::schema_for_models() const { return compiled_->for_models; }

Result<CheckedArguments> SchemaCheck::check(std::string_view text, std::int64_t bytes_max,
                                            std::shared_ptr<Json> read) const {
  BA_ASSERT(compiled_ != nullptr);
  if (text.size() > static_cast<std::size_t>(bytes_max))
    return invalid_argument("the arguments have " + std::to_string(text.size()) +
                            " bytes of JSON; at most " + std::to_string(bytes_max) +
                            " are allowed");
  if (!read) read = std::make_shared<Json>(parse(text));
  Json& args = *read;
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
  std::string parameters = dump_exact(args);
  return CheckedArguments{std::move(parameters), std::move(read), *level};
}

}  // namespace ba
