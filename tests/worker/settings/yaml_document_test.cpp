// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/yaml_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/encoding.hpp"
#include "tests/support/random_json.hpp"
#include "tests/support/test_seed.hpp"

namespace ba::settings {
namespace {

using ::testing::HasSubstr;

constexpr int kValues = 20000;

std::string error_of(const std::string& text) {
  const auto value = yaml_decode(text);
  return value ? "no error" : value.error().message;
}

TEST(YamlDocument, KeepsEveryValue) {
  const std::uint64_t seed = test_seed();
  RandomJson random(seed);
  for (int i = 0; i < kValues; ++i) {
    const OrderedJson value = random.value();
    const bool whole = i % 2 == 0;
    const std::string text = whole ? encode_result(DataEncoding::Yaml, value, random.text(), "t")
                                   : encode_data(DataEncoding::Yaml, value);
    const auto back = whole ? yaml_decode_result(text) : yaml_decode(text);
    ASSERT_TRUE(back) << "BA_TEST_SEED=" << seed << "\n"
                      << value << "\n"
                      << text << "\n"
                      << back.error().message;
    ASSERT_EQ(back->dump(), value.dump()) << "BA_TEST_SEED=" << seed << "\n" << text;
  }
}

TEST(YamlDocument, ReadsEveryEscape) {
  const auto value = yaml_decode(R"({"\N\_": "\L\P é\x85\N\_\0\u00e9\e"})");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->dump(-1, ' ', true),
            R"({"\u0085\u00a0":"\u2028\u2029 \u00e9\u0085\u0085\u00a0\u0000\u00e9\u001b"})");
}

TEST(YamlDocument, RefusesWhatIsNeverWritten) {
  EXPECT_THAT(error_of("a: &x 1\nb: *x\n"), HasSubstr("line 1: anchors aren't read"));
  EXPECT_THAT(error_of("a: 1\nb: !!int \"2\"\n"), HasSubstr("line 2: tags aren't read"));
  EXPECT_THAT(error_of("a: 1\na: 2\n"), HasSubstr("line 2: the name \"a\" stands twice"));
  EXPECT_THAT(error_of("? [1]\n: 2\n"), HasSubstr("a member's name must be a string"));
  EXPECT_THAT(error_of("a: 1e1001\n"), HasSubstr("beyond 10^1000"));
  EXPECT_THAT(error_of("a: [1\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(error_of("1\n---\n2\n"), HasSubstr("more than one document"));
  EXPECT_THAT(error_of("a: \xff\n"), HasSubstr("not valid UTF-8"));
}

TEST(YamlDocument, BoundsTheDepth) {
  EXPECT_THAT(error_of(std::string(100, '[') + std::string(100, ']')),
              HasSubstr("nested deeper than 66 levels"));
  EXPECT_TRUE(yaml_decode(std::string(66, '[') + std::string(66, ']')));
}

TEST(YamlDocument, WantsTheFormOfAResult) {
  EXPECT_EQ(yaml_decode_result("result:\n  data: 1\n  summary: s").value(), 1);
  for (const char* text : {"1", "data: 1", "result: 1", "result:\n  summary: s", "[]"})
    EXPECT_FALSE(yaml_decode_result(text)) << text;
}

}  // namespace
}  // namespace ba::settings
