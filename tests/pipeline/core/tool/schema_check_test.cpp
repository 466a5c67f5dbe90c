// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_check.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

constexpr std::int64_t kBytesMax = 10 * 1024 * 1024;

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "sql": {"type": "string", "minLength": 1, "maxLength": 40},
    "source": {"enum": ["flights", "sales"], "default": "flights"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    "filter": {
      "type": "object",
      "properties": {"columns": {"type": "array", "items": {"type": "string"}},
                     "deep": {"type": "boolean", "default": false}}
    }
  },
  "required": ["sql"],
  "additionalProperties": false
})";

const SchemaCheck& schema() {
  static const SchemaCheck compiled = std::move(SchemaCheck::compile(kSchema).value());
  return compiled;
}
std::string accepted(std::string_view args) {
  const CheckedArguments checked = schema().check(args, kBytesMax).value();
  EXPECT_EQ(*checked.object, parse_exact<nlohmann::ordered_json>(checked.parameters)) << args;
  return checked.parameters;
}
std::string refused(std::string_view args) {
  const auto result = schema().check(args, kBytesMax);
  EXPECT_FALSE(result) << args;
  return result ? "" : result.error().message;
}

TEST(SchemaCheck, FillsInDefaultsAfterWhatTheModelSent) {
  EXPECT_EQ(accepted(R"({"sql":"x"})"), R"({"sql":"x","source":"flights","limit":10})");
  EXPECT_EQ(accepted(R"({"limit":5,"sql":"é"})"), R"({"limit":5,"sql":"é","source":"flights"})");
  EXPECT_EQ(accepted(R"({"sql":"x","source":"sales","limit":1,"filter":{}})"),
            R"({"sql":"x","source":"sales","limit":1,"filter":{"deep":false}})");
}

TEST(SchemaCheck, FillsInDefaultsInsideArrays) {
  const auto check = [](const char* schema, const char* args) {
    return SchemaCheck::compile(schema)->check(args, 100).value().parameters;
  };
  constexpr const char* kFilters = R"({"properties":{"filters":{"type":"array","items":
    {"type":"object","properties":{"op":{"default":"="},"not":{"default":false}}}}}})";
  EXPECT_EQ(check(kFilters, R"({"filters":[{},{"op":"<"}]})"),
            R"({"filters":[{"op":"=","not":false},{"op":"<","not":false}]})");
  EXPECT_EQ(check(kFilters, R"({"filters":[]})"), R"({"filters":[]})");
  constexpr const char* kPair = R"({"properties":{"pair":{"items":
    [{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]}}})";
  EXPECT_EQ(check(kPair, R"({"pair":[{},{},{}]})"), R"({"pair":[{"a":1},{"b":2},{}]})");
  EXPECT_EQ(check(kPair, R"({"pair":[{}]})"), R"({"pair":[{"a":1}]})");
}

TEST(SchemaCheck, RefusesArgumentsThatDefaultsMakeTooLarge) {
  const std::string schema = R"({"properties":{"list":{"items":{"properties":{"x":{"default":")" +
                             std::string(1 << 20, 'x') + R"("}}}}}})";
  const auto check = std::move(SchemaCheck::compile(schema).value());
  EXPECT_TRUE(check.check(R"({"list":[{},{},{}]})", kBytesMax));
  const auto refused = check.check(R"({"list":[{},{},{},{},{},{},{},{},{},{}]})", kBytesMax);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the tool's defaults would add more than 10485760 bytes to these arguments");
}

TEST(SchemaCheck, TakesAWholeNumberWithAFractionForAnInteger) {
  EXPECT_EQ(accepted(R"({"sql":"x","limit":5.0,"source":"sales"})"),
            R"({"sql":"x","limit":5,"source":"sales"})");
  EXPECT_EQ(refused(R"({"sql":"x","limit":5.5})"),
            "limit: 5.5 is not allowed; expected integer, at least 1, at most 100");
}

// ---- nulls -------------------------------------------------------------------------------------

/// What a tool whose one property has this schema gets of arguments.
std::string got(const std::string& property, const std::string& arguments) {
  const auto check = SchemaCheck::compile(R"({"properties":{"a":)" + property + "}}");
  EXPECT_TRUE(check) << property;
  const auto checked = check->check(arguments, kBytesMax);
  return checked ? checked->parameters : checked.error().message;
}

TEST(SchemaCheck, NullForAnOptionalParameterCountsAsNotGiven) {
  EXPECT_EQ(accepted(R"({"sql":"x","source":null,"limit":null,"filter":null})"),
            accepted(R"({"sql":"x"})"));
  for (const char* property :
       {R"({"type":"string"})", R"({"type":["string","integer"]})", R"({"enum":["b"]})",
        R"({"const":"b"})", R"({"anyOf":[{"type":"string"},{"type":"integer"}]})",
        R"({"oneOf":[{"type":"string"},{"enum":[1]}]})", R"({"type":"string","nullable":false})",
        R"({"allOf":[{"type":["string","null"]},{"minLength":1,"type":"string"}]})",
        R"({"not":{"type":"null"}})", R"({"type":"object"})", R"({"type":"array"})",
        R"({"type":"string","enum":["b",null]})"})
    EXPECT_EQ(got(property, R"({"a":null,"b":null})"), R"({"b":null})") << property;
}

TEST(SchemaCheck, NullStaysWhereTheSchemaAllowsIt) {
  for (const char* property :
       {R"({"type":["string","null"]})", R"({"type":"null"})", R"({"enum":["b",null]})",
        R"({"const":null})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})",
        R"({"oneOf":[{"type":"string"},{"const":null}]})", R"({"type":"string","nullable":true})",
        R"({"type":"string","enum":["b"],"nullable":true})", R"({"description":"anything"})",
        R"({"anyOf":[{"type":"string"}],"nullable":true})", R"({"not":{"type":"string"}})", "{}",
        "true", R"({"type":["string","null"],"default":"b"})"})
    EXPECT_EQ(got(property, R"({"a":null})"), R"({"a":null})") << property;
}

TEST(SchemaCheck, NullCountsAsNotGivenInNestedObjectsAndArrays) {
  constexpr const char* kInner =
      R"({"type":"object","properties":{"b":{"type":"string"},"c":{"type":["string","null"]}}})";
  EXPECT_EQ(got(kInner, R"({"a":{"b":null,"c":null}})"), R"({"a":{"c":null}})");
  const std::string list = R"({"type":"array","items":)" + std::string(kInner) + "}";
  EXPECT_EQ(got(list, R"({"a":[{"b":null},{"b":"x","c":null}]})"),
            R"({"a":[{},{"b":"x","c":null}]})");
  const std::string map = R"({"type":"object","additionalProperties":)" + std::string(kInner) + "}";
  EXPECT_EQ(got(map, R"({"a":{"k":{"b":null}}})"), R"({"a":{"k":{}}})");
  for (const char* group : {"allOf", "anyOf", "oneOf"})
    EXPECT_EQ(got("{\"" + std::string(group) + "\":[" + kInner + "]}", R"({"a":{"b":null}})"),
              R"({"a":{}})")
        << group;
  EXPECT_EQ(got(R"({"type":"array","items":{"type":"string"}})", R"({"a":[null]})"),
            "a[0]: null is not allowed; expected string");
}

TEST(SchemaCheck, NullCountsAsNotGivenThroughReferences) {
  const auto check =
      std::move(SchemaCheck::compile(R"({"properties":{"a":{"$ref":"#/definitions/t"}},
    "definitions":{"t":{"type":"object","properties":{"next":{"$ref":"#/definitions/t"},
      "s":{"$ref":"#/definitions/s"}}},"s":{"type":"string"}}})")
                    .value());
  EXPECT_EQ(
      check.check(R"({"a":{"next":{"next":null,"s":null},"s":"x"}})", kBytesMax).value().parameters,
      R"({"a":{"next":{},"s":"x"}})");
}

TEST(SchemaCheck, NullForARequiredParameterIsAnErrorThatSaysSo) {
  EXPECT_EQ(refused(R"({"sql":null})"),
            "sql: null is not allowed, this parameter is required; expected string, characters at "
            "least 1, characters at most 40");
  EXPECT_EQ(got(R"({"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]})",
                R"({"a":{"b":null}})"),
            "a.b: null is not allowed, this parameter is required; expected integer");
  EXPECT_EQ(refused(R"({"sql":"x","query":null})"),
            "query: there is no such parameter; there are: sql, source, limit, filter, "
            "output_level");
}

TEST(SchemaCheck, FindsNullsInAWideSchemaWithoutLookingTwice) {
  std::string wide = R"({"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{)";
  for (int i = 0; i < 30; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    wide += "\"d" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
  }
  const auto check = SchemaCheck::compile(wide + R"("d30":{"type":"string"}}})");
  ASSERT_TRUE(check);
  EXPECT_EQ(check->check(R"({"a":null})", kBytesMax).value().parameters, "{}");
}

TEST(SchemaCheck, LooksForNullsAMillionTimesAtMost) {
  std::string properties;
  std::string arguments;
  for (int i = 0; i < 1500; ++i) {
    const std::string name = (i > 0 ? ",\"x" : "\"x") + std::to_string(i) + "\":";
    properties += name + R"({"type":"string"})";
    arguments += name + "null";
  }
  std::string parts = "{}";
  for (int i = 0; i < 1000; ++i) parts += R"(,{"title":"t"})";
  const auto check = std::move(
      SchemaCheck::compile(R"({"properties":{)" + properties + R"(},"anyOf":[)" + parts + "]}")
          .value());
  const auto result = check.check("{" + arguments + "}", kBytesMax);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.ends_with(": null is not allowed; expected string"))
      << result.error().message;
}

TEST(SchemaCheck, NamesThePathTheValueAndWhatIsAllowed) {
  EXPECT_EQ(refused(R"({"sql":"x","limit":101})"),
            "limit: 101 is not allowed; expected integer, at least 1, at most 100");
  EXPECT_EQ(refused(R"({"sql":"x","limit":"many"})"),
            "limit: \"many\" is not allowed; expected integer, at least 1, at most 100");
  EXPECT_EQ(refused(R"({"sql":"x","source":"prod"})"),
            "source: \"prod\" is not allowed; expected one of \"flights\", \"sales\"");
  EXPECT_EQ(refused(R"({"sql":""})"),
            "sql: \"\" is not allowed; expected string, characters at least 1, characters at most "
            "40");
  EXPECT_EQ(refused(R"({"sql":"x","filter":{"columns":["a",2]}})"),
            "filter.columns[1]: 2 is not allowed; expected string");
}

TEST(SchemaCheck, NamesAMissingAndAnUnknownParameter) {
  EXPECT_EQ(refused("{}"),
            "sql: this required parameter is missing; expected string, characters at least 1, "
            "characters at most 40");
  EXPECT_EQ(refused(R"({"sql":"x","query":"y"})"),
            "query: there is no such parameter; there are: sql, source, limit, filter, "
            "output_level");
}

TEST(SchemaCheck, EachCallMayNameItsLevelWhateverElseTheToolTakes) {
  const auto told = [](const char* schema, const char* args) {
    return SchemaCheck::compile(schema)->check(args, kBytesMax).error().message;
  };
  EXPECT_EQ(told(R"({"type":"object","additionalProperties":false})", R"({"a":1})"),
            "a: there is no such parameter; there are: output_level");
  constexpr const char* kInner =
      R"({"properties":{"f":{"type":"object","additionalProperties":false}}})";
  EXPECT_EQ(told(kInner, R"({"f":{"x":1}})"), "f.x: there is no such parameter; there are: none");
}

TEST(SchemaCheck, KeepsMessagesShort) {
  const std::string message = refused(R"({"sql":")" + std::string(100000, 'x') + "\"}");
  EXPECT_LT(message.size(), 300u);
  EXPECT_TRUE(message.starts_with("sql: \"xxx"));
}

TEST(SchemaCheck, RefusesWhatIsNotAnObject) {
  for (const char* args : {"[]", "null", "1", "\"x\""})
    EXPECT_EQ(refused(args), "the arguments are not a JSON object of parameters, {\"name\": value}")
        << args;
  for (const char* args : {"", "{", "{} {}", "{\"sql\": \"SELECT 1\"", "{\"sql\":1e1999}"})
    EXPECT_TRUE(refused(args).starts_with("the arguments are not JSON: ")) << args << refused(args);
  EXPECT_TRUE(refused("{\"sql\": \"x\"").ends_with("byte 11")) << refused("{\"sql\": \"x\"");
  EXPECT_EQ(refused(std::string(65, '[')),
            "the arguments are too deep or too wide: JSON of at most 64 levels and 4096 members an "
            "object is allowed");
}

std::string numbers_of(const std::string& property, const std::string& number) {
  const auto check = SchemaCheck::compile(R"({"properties":{"a":)" + property + "}}");
  const auto got = check->check("{\"a\":" + number + "}", kBytesMax);
  return got ? got->parameters : got.error().message;
}

TEST(SchemaCheck, GivesNumbersOnAsTheyWereWritten) {
  for (const char* number : {"123456789012345678901234567890", "0.1234567890123456789", "1.10",
                             "-0.0", "1e400", "-1e-400", "18446744073709551615", "1.0"}) {
    const std::string same = "{\"a\":" + std::string(number) + "}";
    EXPECT_EQ(numbers_of("{}", number), same);
    EXPECT_EQ(numbers_of(R"({"type":"number"})", number), same);
    EXPECT_EQ(numbers_of(R"({"anyOf":[{"type":"string"},{"type":"number"}]})", number), same);
  }
}

TEST(SchemaCheck, TakesAWholeNumberForAnIntegerHoweverLargeItIs) {
  constexpr const char* kInteger = R"({"type":"integer"})";
  for (const char* number : {"18446744073709551617", "1e30", "-123456789012345678901234567890"})
    EXPECT_EQ(numbers_of(kInteger, number), "{\"a\":" + std::string(number) + "}");
  for (const char* one : {"1.0", "10e-1", "1.00", "1"})
    EXPECT_EQ(numbers_of(kInteger, one), R"({"a":1})") << one;
  for (const char* broken : {"1.5", "1.10", "0.1234567890123456789", "9007199254740992.5"})
    EXPECT_EQ(numbers_of(kInteger, broken),
              "a: " + std::string(broken) + " is not allowed; expected integer")
        << broken;
  EXPECT_EQ(numbers_of(R"({"type":"string"})", "18446744073709551617"),
            "a: 18446744073709551617 is not allowed; expected string");
}

TEST(SchemaCheck, ComparesNumbersExactly) {
  EXPECT_EQ(numbers_of(R"({"maximum":9007199254740992})", "9007199254740993"),
            "a: 9007199254740993 is not allowed; expected at most 9007199254740992");
  EXPECT_EQ(numbers_of(R"({"minimum":18446744073709551618})", "18446744073709551617"),
            "a: 18446744073709551617 is not allowed; expected at least 18446744073709551618");
  EXPECT_EQ(numbers_of(R"({"maximum":18446744073709551618})", "18446744073709551617"),
            R"({"a":18446744073709551617})");
  EXPECT_EQ(numbers_of(R"({"enum":[1.1,2]})", "1.10"), R"({"a":1.10})");
  EXPECT_EQ(numbers_of(R"({"enum":[0.1234567890123456789]})", "0.1234567890123456788"),
            "a: 0.1234567890123456788 is not allowed; expected one of the numbers of its enum");
  EXPECT_EQ(numbers_of(R"({"const":1e400})", "1e400"), R"({"a":1e400})");
  EXPECT_EQ(numbers_of(R"({"type":"array","items":{"multipleOf":2}})", "[18446744073709551617]"),
            "a[0]: 18446744073709551617 is not allowed; expected a multiple of 2");
}

TEST(SchemaCheck, RefusesDeepNestingWithoutRecursing) {
  refused(R"({"sql":)" + std::string(1'000'000, '['));
}

/// {"a0":0,"a1":0,…}
std::string object_of(int members) {
  std::string text = "{";
  for (int i = 0; i < members; ++i) text += (i > 0 ? ",\"a" : "\"a") + std::to_string(i) + "\":0";
  return text + "}";
}

std::string nested(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += R"({"default":)";
  return text + "1" + std::string(static_cast<std::size_t>(levels), '}');
}

TEST(SchemaCheck, BoundsTheMembersOfAnObject) {
  const SchemaCheck any = std::move(SchemaCheck::compile("{}").value());
  EXPECT_TRUE(any.check(object_of(4096), 1 << 20));
  EXPECT_FALSE(any.check(object_of(4097), 1 << 20));
  EXPECT_TRUE(SchemaCheck::compile(R"({"default":)" + object_of(4096) + "}"));
  EXPECT_FALSE(SchemaCheck::compile(R"({"default":)" + object_of(4097) + "}"));
}

TEST(SchemaCheck, BoundsTheDepthOfASchema) {
  EXPECT_TRUE(SchemaCheck::compile(nested(64)));
  EXPECT_FALSE(SchemaCheck::compile(nested(65)));
}

TEST(SchemaCheck, NamesTheFirstTwentyOfManyChoices) {
  std::string choices;
  for (int i = 0; i < 21; ++i) choices += (i > 0 ? "," : "") + std::to_string(i);
  const SchemaCheck check =
      std::move(SchemaCheck::compile(R"({"properties":{"n":{"enum":[)" + choices + "]}}}").value());
  const auto result = check.check(R"({"n":-1})", kBytesMax);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.ends_with("18, 19, …")) << result.error().message;
}

TEST(SchemaCheck, RefusesInputThatIsTooLargeBeforeReadingIt) {
  const std::string args = R"({"sql":"x"})";
  EXPECT_TRUE(schema().check(args, static_cast<std::int64_t>(args.size())));
  const auto result = schema().check(args, static_cast<std::int64_t>(args.size()) - 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the arguments have 11 bytes of JSON; at most 10 are allowed");
}

TEST(SchemaCheck, TakesTheOutputLevelOut) {
  const auto checked = schema().check(R"({"output_level":"full","sql":"x"})", kBytesMax).value();
  EXPECT_EQ(checked.output_level, OutputLevel::Full);
  EXPECT_EQ(checked.parameters, R"({"sql":"x","source":"flights","limit":10})");
  EXPECT_EQ(schema().check(R"({"sql":"x"})", kBytesMax).value().output_level, std::nullopt);
  EXPECT_EQ(schema().check(R"({"sql":"x","output_level":null})", kBytesMax).value().output_level,
            std::nullopt);
  EXPECT_EQ(refused(R"({"sql":"x","output_level":"verbose"})"),
            "output_level: \"verbose\" is not allowed; expected one of \"brief\", \"standard\", "
            "\"full\"");
}

TEST(SchemaCheck, OffersTheOutputLevelToModels) {
  const SchemaCheck empty = std::move(SchemaCheck::compile("{}").value());
  EXPECT_EQ(empty.schema_for_models(),
            R"({"properties":{"output_level":{"type":"string","enum":["brief","standard","full"],)"
            R"("description":"How detailed the result is: brief (a line), standard, full )"
            R"((everything)."}}})");
  EXPECT_TRUE(schema().schema_for_models().starts_with(R"({"type":"object","properties":{"sql")"));
}

TEST(SchemaCheck, ModelsSeeNoKeywordOfOurOwnButEveryNameAndValue) {
  const SchemaCheck check = std::move(SchemaCheck::compile(R"({"properties":{"x-a":{"x-semantic":)"
                                                           R"("sql","enum":["x-b"]}}})")
                                          .value());
  EXPECT_TRUE(check.schema_for_models().starts_with(
      R"({"properties":{"x-a":{"enum":["x-b"]},"output_level")"))
      << check.schema_for_models();
  EXPECT_EQ(check.check(R"({"x-a":"x-b"})", kBytesMax).value().parameters, R"({"x-a":"x-b"})");
}

TEST(SchemaCheck, RefusesASchemaItCannotUse) {
  const auto why = [](std::string_view text) { return SchemaCheck::compile(text).error().message; };
  EXPECT_EQ(why("{"), "the schema is not JSON of at most 64 levels and 4096 members an object");
  EXPECT_EQ(why("[]"), "the schema is not that of an object");
  EXPECT_EQ(why(R"({"type":"string"})"), "the schema is not that of an object");
  EXPECT_EQ(why(R"({"properties":{"output_level":{}}})"),
            "the schema declares output_level, a reserved name");
  EXPECT_TRUE(
      why(R"({"properties":{"a":{"type":5}}})").starts_with("the schema is not a JSON Schema: "));
  EXPECT_TRUE(why(R"({"properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}})")
                  .starts_with("the schema is not a JSON Schema: "));
  EXPECT_FALSE(SchemaCheck::compile(R"({"type":["object","null"]})"));
}

/// A provider refuses all of a request for one such schema, and some would end the process: a whole
/// number is divided by multipleOf.
TEST(SchemaCheck, RefusesASchemaThatIsNone) {
  const auto flaw = [](const std::string& property) {
    const auto compiled = SchemaCheck::compile(R"({"properties":{"a":)" + property + "}}");
    EXPECT_FALSE(compiled) << property;
    return compiled ? "" : compiled.error().message;
  };
  EXPECT_TRUE(flaw("null").starts_with("the schema is not a JSON Schema: properties.a: "));
  for (const char* property : {"5",
                               R"("x")",
                               R"([])",
                               R"({"type":"any"})",
                               R"({"type":[]})",
                               R"({"multipleOf":0})",
                               R"({"multipleOf":-1})",
                               R"({"multipleOf":-0.5})",
                               R"({"multipleOf":18446744073709551615})",
                               R"({"type":"number","multipleOf":0.0})",
                               R"({"contains":5})",
                               R"({"then":5})",
                               R"({"anyOf":[]})",
                               R"({"anyOf":{}})",
                               R"({"allOf":[null]})",
                               R"({"items":[1]})",
                               R"({"minLength":"1"})",
                               R"({"minimum":"1"})",
                               R"({"exclusiveMinimum":true})",
                               R"({"required":true})",
                               R"({"required":[1]})",
                               R"({"enum":{}})",
                               R"({"pattern":1})",
                               R"({"$ref":1})",
                               R"({"uniqueItems":1})",
                               R"({"$defs":{"b":0}})",
                               R"({"not":null})",
                               R"({"properties":{"b":{"items":{"oneOf":[{"multipleOf":0}]}}}})",
                               R"({"properties":[]})",
                               R"({"dependentRequired":{"b":[1]}})",
                               R"({"patternProperties":{"x":1}})"})
    flaw(property);
  for (const char* property :
       {"true", "false", "{}", R"({"type":["integer","null"],"multipleOf":0.01})",
        R"({"const":null,"default":null,"examples":5,"x-semantic":"sql","$comment":1})",
        R"({"items":[{"type":"string"}],"additionalItems":false})",
        R"({"prefixItems":[{}],"items":false,"enum":[]})", R"({"dependencies":{"b":["c"],"d":{}}})",
        R"({"properties":{"multipleOf":{"type":"null"},"required":{"type":"string"}}})"})
    EXPECT_TRUE(SchemaCheck::compile(R"({"properties":{"a":)" + std::string(property) + "}}"))
        << property;
}

TEST(SchemaCheck, RefusesASchemaForModelsThatIsNone) {
  EXPECT_FALSE(SchemaCheck::compile("{}", R"({"properties":{"a":null}})"));
  EXPECT_TRUE(SchemaCheck::compile("{}", R"({"properties":{"a":{"pattern":"("}}})"));
}

TEST(SchemaCheck, NeverMatchesAPatternAgainstAVeryLongText) {
  const auto check = std::move(
      SchemaCheck::compile(R"({"properties":{"a":{"type":"string","pattern":"^(a|b)*$"}}})")
          .value());
  EXPECT_TRUE(check.check(R"({"a":"abab"})", kBytesMax));
  EXPECT_EQ(check.check(R"({"a":"c"})", kBytesMax).error().message,
            "a: \"c\" is not allowed; expected string, matching \"^(a|b)*$\"");
  EXPECT_FALSE(check.check(R"({"a":")" + std::string(1'000'000, 'a') + "\"}", kBytesMax));
}

}  // namespace
}  // namespace ba
