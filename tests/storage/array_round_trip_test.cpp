// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/postgres/array_literal.hpp"
#include "tests/support/scratch_schema.hpp"

namespace ba {
namespace {

constexpr Statement kTexts{"texts", "SELECT * FROM unnest($1::text[])"};
constexpr Statement kBytes{"bytes", "SELECT * FROM unnest($1::bytea[])"};

class ArrayRoundTrip : public testing::Test {
 protected:
  std::vector<std::string> read(const Statement& statement, const std::string& literal) {
    const auto rows =
        read_once(schema_.access(), [&](Transaction& tx) -> Result<std::vector<std::string>> {
          std::vector<std::string> values;
          for (const auto& row : tx.run(statement, literal))
            values.emplace_back(row[0].c_str(), row[0].size());
          return values;
        });
    EXPECT_TRUE(rows) << rows.error().message;
    return rows ? *rows : std::vector<std::string>{};
  }

  ScratchSchema schema_{ScratchSchema::Fill::Empty};
};

TEST_F(ArrayRoundTrip, HostileTextsComeBackAsTheyWere) {
  const std::vector<std::string> hostile{"",
                                         " ",
                                         "NULL",
                                         "null",
                                         "{}",
                                         "{\"a\",b}",
                                         "\\",
                                         "\\\\\"",
                                         "\"",
                                         "'; DROP TABLE jobs; --",
                                         "a\nb\r\n\tc\v\f",
                                         "\x01\x7f",
                                         "\\x41",
                                         "$1 %s ${x}",
                                         "Grüße 🛫 \u2028 \uFEFF",
                                         std::string(100000, '"'),
                                         std::string(100000, '\\')};
  ArrayLiteral array;
  for (const std::string& text : hostile) array.add(text);
  EXPECT_EQ(read(kTexts, array.str()), hostile);
}

TEST_F(ArrayRoundTrip, RandomTextsAndBytesComeBackAsTheyWere) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view kAlphabet = "\"\\{},' \tnNx0a";
  std::vector<std::string> texts;
  std::vector<std::string> blobs;
  ArrayLiteral text_array;
  ArrayLiteral blob_array;
  for (int i = 0; i < 500; ++i) {
    std::string& text = texts.emplace_back();
    std::string& blob = blobs.emplace_back();
    for (unsigned n = random() % 20; n > 0; --n) {
      text += kAlphabet[random() % kAlphabet.size()];
      blob += static_cast<char>(random() % 256);
    }
    text_array.add(text);
    blob_array.add_bytes(blob);
  }
  EXPECT_EQ(read(kTexts, text_array.str()), texts);
  std::vector<std::string> read_blobs;
  for (const std::string& hex : read(kBytes, blob_array.str()))
    read_blobs.push_back(bytes_of_hex(hex));
  EXPECT_EQ(read_blobs, blobs);
}

}  // namespace
}  // namespace ba
