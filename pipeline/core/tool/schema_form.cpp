// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_form.hpp"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "pipeline/core/tool/schema_numbers.hpp"

namespace ba {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

/// A schema of schemas. multipleOf has an upper bound, too: what divides by it takes 64 bits.
constexpr const char* kForm = R"({
  "$ref": "#/definitions/schema",
  "definitions": {
    "count": {"type": "number", "minimum": 0},
    "names": {"type": "array", "items": {"type": "string"}},
    "kind": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
    "schemas": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/schema"}},
    "named_schemas": {"type": "object", "additionalProperties": {"$ref": "#/definitions/schema"}},
    "schema": {
      "type": ["object", "boolean"],
      "properties": {
        "type": {"anyOf": [
          {"$ref": "#/definitions/kind"},
          {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/kind"}}]},
        "enum": {"type": "array"},
        "multipleOf": {"type": "number", "exclusiveMinimum": 0, "maximum": 9007199254740992},
        "minimum": {"type": "number"},
        "maximum": {"type": "number"},
        "exclusiveMinimum": {"type": "number"},
        "exclusiveMaximum": {"type": "number"},
        "minLength": {"$ref": "#/definitions/count"},
        "maxLength": {"$ref": "#/definitions/count"},
        "pattern": {"type": "string"},
        "format": {"type": "string"},
        "minItems": {"$ref": "#/definitions/count"},
        "maxItems": {"$ref": "#/definitions/count"},
        "minContains": {"$ref": "#/definitions/count"},
        "maxContains": {"$ref": "#/definitions/count"},
        "uniqueItems": {"type": "boolean"},
        "minProperties": {"$ref": "#/definitions/count"},
        "maxProperties": {"$ref": "#/definitions/count"},
        "required": {"$ref": "#/definitions/names"},
        "title": {"type": "string"},
        "description": {"type": "string"},
        "$ref": {"type": "string"},
        "$dynamicRef": {"type": "string"},
        "properties": {"$ref": "#/definitions/named_schemas"},
        "patternProperties": {"$ref": "#/definitions/named_schemas"},
        "dependentSchemas": {"$ref": "#/definitions/named_schemas"},
        "$defs": {"$ref": "#/definitions/named_schemas"},
        "definitions": {"$ref": "#/definitions/named_schemas"},
        "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/definitions/names"}},
        "dependencies": {"type": "object", "additionalProperties": {"anyOf": [
          {"$ref": "#/definitions/schema"}, {"$ref": "#/definitions/names"}]}},
        "items": {"anyOf": [{"$ref": "#/definitions/schema"}, {"$ref": "#/definitions/schemas"}]},
        "prefixItems": {"$ref": "#/definitions/schemas"},
        "additionalItems": {"$ref": "#/definitions/schema"},
        "unevaluatedItems": {"$ref": "#/definitions/schema"},
        "contains": {"$ref": "#/definitions/schema"},
        "additionalProperties": {"$ref": "#/definitions/schema"},
        "unevaluatedProperties": {"$ref": "#/definitions/schema"},
        "propertyNames": {"$ref": "#/definitions/schema"},
        "allOf": {"$ref": "#/definitions/schemas"},
        "anyOf": {"$ref": "#/definitions/schemas"},
        "oneOf": {"$ref": "#/definitions/schemas"},
        "not": {"$ref": "#/definitions/schema"},
        "if": {"$ref": "#/definitions/schema"},
        "then": {"$ref": "#/definitions/schema"},
        "else": {"$ref": "#/definitions/schema"}
      }
    }
  }
})";

const valijson::Schema& form() {
  static const auto* const kSchema = [] {
    auto* schema = new valijson::Schema;  // never destroyed: others may check until the end
    valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(nlohmann::json::parse(kForm)),
                                            *schema);
    return schema;
  }();
  return *kSchema;
}

}  // namespace

std::optional<std::string> schema_flaw(const nlohmann::ordered_json& schema) {
  const nlohmann::json plain = judged_numbers(schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(form(), NlohmannJsonAdapter(plain), &results)) return std::nullopt;
  valijson::ValidationResults::Error deepest;
  valijson::ValidationResults::Error error;
  while (results.popError(error))
    if (error.context.size() > deepest.context.size()) deepest = error;
  std::string place;
  for (std::size_t i = 1; i < deepest.context.size(); ++i) {
    const std::string& step = deepest.context[i];  // "[name]" or "[0]"
    place += (place.empty() ? "" : ".") + step.substr(1, step.size() - 2);
  }
  return (place.empty() ? "" : place + ": ") + deepest.description;
}

}  // namespace ba
