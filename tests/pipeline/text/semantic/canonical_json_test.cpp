// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/canonical_json.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

std::string canonical(const char* text) { return canonical_json(Json::parse(text)); }

std::string number(std::uint64_t bits) { return canonical_json(Json(std::bit_cast<double>(bits))); }

/// The samples that RFC 8785 has in its text (3.2.2 to 3.2.4).
TEST(CanonicalJson, IsThatOfTheExamplesInRfc8785) {
  EXPECT_EQ(canonical(R"({
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]})"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  EXPECT_EQ(canonical(R"({"\u20ac": "Euro Sign", "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"})"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
            "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\","
            "\"😀\":\"Emoji: Grinning Face\",\"\uFB33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

/// Its appendix B.
TEST(CanonicalJson, WritesTheNumbersOfRfc8785) {
  const std::pair<std::uint64_t, const char*> samples[]{
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"}};
  for (const auto& [bits, text] : samples) EXPECT_EQ(number(bits), text);
}

/// Doubles of every kind: the bits are a chain of SHA-256 digests.
class AnyDoubles {
 public:
  double next() {
    for (;;) {
      if (at_ == block_.size()) {
        Block digest{};
        unsigned int size = 0;
        EVP_Digest(block_.data(), block_.size(), digest.data(), &size, EVP_sha256(), nullptr);
        block_ = digest;
        at_ = 0;
      }
      double number = 0;
      std::memcpy(&number, block_.data() + at_, sizeof(number));
      at_ += sizeof(number);
      if (number != 0 && std::isfinite(number)) return number;
    }
  }

 private:
  using Block = std::array<unsigned char, 32>;

  Block block_{};
  std::size_t at_ = 32;
};

int significant_digits(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e')))
    if (c >= '0' && c <= '9') digits += c;
  const std::size_t first = digits.find_first_not_of('0');
  return static_cast<int>(digits.find_last_not_of('0') + 1 - first);
}

/// As many significant digits as are needed: one less does not read back.
TEST(CanonicalJson, WritesNumbersSoThatTheyReadBackInTheFewestDigits) {
  AnyDoubles numbers;
  for (int i = 0; i < 100'000; ++i) {
    const double number = numbers.next();
    const std::string text = canonical_json(Json(number));
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), number) << text;
    const int digits = significant_digits(text);
    std::array<char, 40> shorter{};
    std::snprintf(shorter.data(), shorter.size(), "%.*e", digits - 2, number);
    const bool one_less = digits > 1 && std::strtod(shorter.data(), nullptr) == number;
    ASSERT_FALSE(one_less) << text;
  }
}

TEST(CanonicalJson, SortsByUtf16CodeUnits) {
  EXPECT_EQ(canonical("{\"\uFFFD\":1,\"😀\":2,\"\uD7FF\":3,\"a\":4,\"\":5,\"aa\":6}"),
            "{\"\":5,\"a\":4,\"aa\":6,\"\uD7FF\":3,\"😀\":2,\"\uFFFD\":1}");
}

TEST(CanonicalJson, SortsAtEveryDepthAndKeepsTheOrderOfArrays) {
  EXPECT_EQ(canonical(R"([{"b":{"d":1,"c":[]},"a":{}},3,2])"),
            R"([{"a":{},"b":{"c":[],"d":1}},3,2])");
}

TEST(CanonicalJson, EscapesNothingButWhatHasTo) {
  EXPECT_EQ(canonical(R"("\u0000\u001f\u007f\u0080\b\t\n\f\r\/é")"),
            "\"\\u0000\\u001f\u007f\u0080\\b\\t\\n\\f\\r/é\"");
}

TEST(CanonicalJson, DoesNotNormaliseUnicode) {
  EXPECT_EQ(canonical(R"("A\u030a")"), "\"A\u030a\"");
}

TEST(CanonicalJson, WritesKeptNumbersAsDoublesUnlessExactOnesAreAsked) {
  const auto rounded = [](const char* text) { return canonical_json(parse_exact<Json>(text)); };
  EXPECT_EQ(rounded("[18446744073709551616,1.10,-0]"), "[18446744073709552000,1.1,0]");
  EXPECT_EQ(rounded("1e400"), "1.7976931348623157e+308");
}

TEST(CanonicalJson, WritesWideIntegersAsDoublesUnlessExactOnesAreAsked) {
  const Json wide = Json::parse("[9007199254740993, 18446744073709551615, -9223372036854775808]");
  EXPECT_EQ(canonical_json(wide), "[9007199254740992,18446744073709552000,-9223372036854776000]");
  EXPECT_EQ(canonical_json(wide, WideIntegers::Exact),
            "[9007199254740993,18446744073709551615,-9223372036854775808]");
}

/// A double and an integer of one value have one text, also where RFC 8785 has another.
TEST(CanonicalJson, WritesAWholeDoubleAsTheIntegerOfItsValueWhereExactOnesAreAsked) {
  const auto exact = [](const char* text) {
    return canonical_json(parse_exact<Json>(text), WideIntegers::Exact);
  };
  EXPECT_EQ(exact("1.0"), "1");
  EXPECT_EQ(exact("10e-1"), "1");
  EXPECT_EQ(exact("1.10"), exact("1.1"));
  EXPECT_EQ(exact("18446744073709551617"), "18446744073709551617");
  EXPECT_NE(exact("123456789012345678901234567890"), exact("123456789012345678901234567891"));
  EXPECT_NE(exact("0.1"), exact("0.1000000000000000055"));
  EXPECT_EQ(exact("1e400"), exact("10.0e399"));
  EXPECT_EQ(exact("1e16"), "10000000000000000");
  EXPECT_EQ(exact("1152921504606846976.0"), exact("1152921504606846976"));
  EXPECT_NE(exact("1152921504606847000"), exact("1152921504606846976.0"));
  EXPECT_EQ(exact("-9223372036854775808.0"), "-9223372036854775808");
  EXPECT_EQ(exact("1e21"), "1e+21");
  EXPECT_EQ(exact("-0.0"), "0");
}

}  // namespace
}  // namespace ba
