// SPDX-License-Identifier: Apache-2.0
// Over many small schemas and values, the bounded checker says what valijson says.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "pipeline/text/answer/schema_checker.hpp"
#include "tests/support/test_seed.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

/// Without multipleOf, for which valijson rounds fractions. Schemas and values of a few names and
/// numbers, so that they meet.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  Json value(int depth) {
    switch (below(depth > 0 ? 7 : 5)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<int>(below(7)) - 2;
      case 3:
        return 0.5 * (1 + 2 * static_cast<double>(below(4)));
      case 4:
        return text();
      case 5: {
        Json items = Json::array();
        for (auto n = below(4); n > 0; --n) items.push_back(value(depth - 1));
        return items;
      }
      default: {
        Json object = Json::object();
        for (auto n = below(4); n > 0; --n) object[name()] = value(depth - 1);
        return object;
      }
    }
  }

  Json schema(int depth) {
    if (below(12) == 0) return below(3) != 0;
    Json made = Json::object();
    for (auto n = 1 + below(3); n > 0; --n) add_keyword(made, depth);
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string name() { return std::string(1, static_cast<char>('a' + below(3))); }
  std::string text() { return std::string(below(4), static_cast<char>('a' + below(2))); }
  Json schemas(int depth) {
    Json list = Json::array();
    for (auto n = 1 + below(3); n > 0; --n) list.push_back(schema(depth - 1));
    return list;
  }

  void add_keyword(Json& made, int depth) {
    static const char* const kTypes[] = {"null",   "boolean", "integer", "number",
                                         "string", "array",   "object"};
    if (depth > 0 && below(2) == 0) return add_holder(made, depth);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        made["type"] = kTypes[below(7)];
        return;
      case 3:
        made["type"] = {kTypes[below(3)], kTypes[3 + below(4)]};
        return;
      case 4:
        made["enum"] = {value(1), value(1), value(0)};
        return;
      case 5:
        made["const"] = value(1);
        return;
      case 6:
        made["minimum"] = below(4);
        return;
      case 7:
        made["exclusiveMaximum"] = below(4);
        return;
      case 8:
        made["maximum"] = below(4);
        return;
      case 9:
        made["minLength"] = below(3);
        return;
      case 10:
        made["maxLength"] = below(3);
        return;
      case 11:
        made["pattern"] = below(2) == 0 ? "^a*$" : "b";
        return;
      case 12:
        made[below(2) == 0 ? "minItems" : "maxProperties"] = below(3);
        return;
      case 13:
        made[below(2) == 0 ? "maxItems" : "minProperties"] = below(3);
        return;
      case 14:
        made["uniqueItems"] = below(2) == 0;
        return;
      default:
        made["required"] = Json::array({name()});
    }
  }

  void add_holder(Json& made, int depth) {
    switch (below(13)) {
      case 0:
        made["allOf"] = schemas(depth);
        return;
      case 1:
        made["anyOf"] = schemas(depth);
        return;
      case 2:
        made["oneOf"] = schemas(depth);
        return;
      case 3:
        made["not"] = schema(depth - 1);
        return;
      case 4:
        made["if"] = schema(depth - 1);
        made["then"] = schema(depth - 1);
        made["else"] = schema(depth - 1);
        return;
      case 5:
        made["items"] = schema(depth - 1);
        return;
      case 6:
        made["items"] = schemas(depth);
        made["additionalItems"] = schema(depth - 1);
        return;
      case 7:
        made["contains"] = schema(depth - 1);
        return;
      case 8:
        made["propertyNames"] = schema(depth - 1);
        return;
      case 9:
        made["additionalProperties"] = schema(depth - 1);
        return;
      case 10:
        made["patternProperties"] = {{"^[ab]$", schema(depth - 1)}};
        return;
      case 11:
        made["dependencies"] = {{name(), Json::array({name()})}, {"c", schema(depth - 1)}};
        return;
      default:
        made["properties"] = {{name(), schema(depth - 1)}, {name(), schema(depth - 1)}};
    }
  }

  std::mt19937 random_;
};

TEST(SchemaAgreement, TheBoundedCheckerAgreesWithValijson) {
  const auto seed = static_cast<unsigned>(test_seed());
  Maker maker(seed);
  int valid = 0;
  int invalid = 0;
  for (int i = 0; i < 4000; ++i) {
    Json schema = maker.schema(3);
    if (!schema.is_object()) continue;
    const auto index = SchemaIndex::read(schema.dump());
    ASSERT_TRUE(index) << schema << ": " << index.error().message << ", BA_TEST_SEED=" << seed;
    valijson::Schema compiled;
    valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(schema), compiled);
    for (int n = 0; n < 5; ++n) {
      const Json value = maker.value(3);
      valijson::Validator validator;
      const bool expected = validator.validate(compiled, NlohmannJsonAdapter(value), nullptr);
      const auto violation = schema_violation(**index, value);
      ASSERT_EQ(!violation, expected) << schema << "\n"
                                      << value << "\n"
                                      << violation.value_or("valid") << "\nBA_TEST_SEED=" << seed;
      ++(expected ? valid : invalid);
    }
  }
  EXPECT_GT(valid, 1000) << "BA_TEST_SEED=" << seed;
  EXPECT_GT(invalid, 1000) << "BA_TEST_SEED=" << seed;
}

}  // namespace
}  // namespace ba
