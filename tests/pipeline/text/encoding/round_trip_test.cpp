// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "tests/support/random_json.hpp"
#include "tests/support/test_seed.hpp"

namespace ba {
namespace {

constexpr int kValues = 20000;

/// Without an order of names, which rows of a table take from the first.
nlohmann::json unordered(const OrderedJson& value) { return nlohmann::json(value); }

TEST(RoundTrip, ToonKeepsEveryValue) {
  const std::uint64_t seed = test_seed();
  RandomJson random(seed);
  for (int i = 0; i < kValues; ++i) {
    const OrderedJson value = random.value();
    ToonWriting writing;
    writing.delimiter = ",\t|"[i % 3];
    writing.indent = 1 + i % 4;
    ToonReading reading;
    reading.indent = writing.indent;
    reading.strict = i % 5 != 0;
    const std::string text = toon_encode(value, writing);
    const auto back = toon_decode(text, reading);
    ASSERT_TRUE(back) << "BA_TEST_SEED=" << seed << "\n"
                      << value << "\n"
                      << text << "\n"
                      << back.error().message;
    ASSERT_EQ(unordered(*back), unordered(value)) << "BA_TEST_SEED=" << seed << "\n" << text;
    ASSERT_EQ(toon_encode(*back, writing), text) << "BA_TEST_SEED=" << seed;
  }
}

TEST(RoundTrip, XmlKeepsEveryValue) {
  const std::uint64_t seed = test_seed();
  RandomJson random(seed);
  for (int i = 0; i < kValues; ++i) {
    const OrderedJson value = random.value();
    const std::string text = i % 2 == 0
                                 ? encode_data(DataEncoding::Xml, value)
                                 : encode_result(DataEncoding::Xml, value, random.text(), "a\"<b");
    const auto back = xml_decode(text);
    ASSERT_TRUE(back) << "BA_TEST_SEED=" << seed << "\n"
                      << value << "\n"
                      << text << "\n"
                      << back.error().message;
    ASSERT_EQ(back->dump(), value.dump()) << "BA_TEST_SEED=" << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace ba
