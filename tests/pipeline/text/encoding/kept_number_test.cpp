// SPDX-License-Identifier: Apache-2.0
// Numbers that no double and no 64-bit integer gives back, through each notation and back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/xml.hpp"

namespace ba {
namespace {

constexpr const char* kNumbers =
    R"({"wei":123456789012345678901234567890,"id19":2512292042121000001,)"
    R"("id20":18446744073709551617,"price":0.1234567890123456789,"rate":1.10,"neg":-0.0,)"
    R"("zero":-0,"huge":1e400,"whole":1.0})";

OrderedJson numbers() { return read_json_document(kNumbers).value(); }

TEST(KeptNumber, IsWrittenAsItWasReadInEachEncoding) {
  EXPECT_EQ(write_json_document(numbers()), kNumbers);
  EXPECT_EQ(encode_data(DataEncoding::Compact, numbers()),
            "wei: 123456789012345678901234567890\nid19: 2512292042121000001\n"
            "id20: 18446744073709551617\nprice: 0.1234567890123456789\nrate: 1.10\nneg: 0\n"
            "zero: -0\nhuge: 1e400\nwhole: 1");
  EXPECT_EQ(encode_data(DataEncoding::Yaml, numbers()),
            "wei: 123456789012345678901234567890\nid19: 2512292042121000001\n"
            "id20: 18446744073709551617\nprice: 0.1234567890123456789\nrate: 1.10\nneg: -0.0\n"
            "zero: -0\nhuge: 1e400\nwhole: 1.0");
  EXPECT_EQ(encode_data(DataEncoding::Xml, numbers()),
            "<data><wei>123456789012345678901234567890</wei><id19>2512292042121000001</id19>"
            "<id20>18446744073709551617</id20><price>0.1234567890123456789</price>"
            "<rate>1.10</rate><neg>-0.0</neg><zero>-0</zero><huge>1e400</huge>"
            "<whole>1.0</whole></data>");
  EXPECT_EQ(encode_data(DataEncoding::Json, read_json_document("[1.10]").value()), "[\n  1.10\n]");
}

TEST(KeptNumber, StandsInTheRowsOfATable) {
  const auto rows =
      read_json_document(R"([{"id":18446744073709551617,"p":1.10},{"id":2,"p":1e400}])");
  EXPECT_EQ(encode_data(DataEncoding::Compact, *rows),
            "[2]{id,p}:\n  18446744073709551617,1.10\n  2,1e400");
}

TEST(KeptNumber, ComesBackFromEachNotation) {
  const OrderedJson value = numbers();
  OrderedJson table = value;  // TOON's own form of 1.0 and -0.0 is 1 and 0
  table["whole"] = 1;
  table["neg"] = 0;
  EXPECT_EQ(write_json_document(toon_decode(toon_encode(value)).value()),
            write_json_document(table));
  EXPECT_EQ(write_json_document(xml_decode(encode_data(DataEncoding::Xml, value)).value()),
            kNumbers);
}

/// JSON's writer gives the same double more digits than the fewest: each keeps its own.
TEST(KeptNumber, ADoubleOfTwoSpellingsKeepsTheOneItHas) {
  for (const char* text : {"8880.781613139", "8880.781613138999"}) {
    const auto value = read_json_document(text);
    ASSERT_TRUE(value);
    EXPECT_EQ(write_json_document(*value), text);
    for (const DataEncoding encoding :
         {DataEncoding::Compact, DataEncoding::Yaml, DataEncoding::Xml})
      EXPECT_NE(encode_data(encoding, *value)
                    .find(std::string(text) + (encoding == DataEncoding::Xml ? "<" : "")),
                std::string::npos)
          << text << ": " << encode_data(encoding, *value);
    const auto back = xml_decode(encode_data(DataEncoding::Xml, *value));
    ASSERT_TRUE(back);
    EXPECT_EQ(write_json_document(*back), text);
  }
}

TEST(KeptNumber, IsADoubleWhereAnEncoderWroteOne) {
  for (const double value : {1e-7, 1.5e-9, 1e16, 1e20, 1e21, 1.25, -3.0, 1e-6, 5e-324, 1e300}) {
    std::string decimal;
    append_decimal(decimal, value);
    EXPECT_EQ(decimal_number_of(decimal).value(), OrderedJson(value)) << decimal;
  }
}

TEST(KeptNumber, IsNoDoubleWhereOneWouldBeWrittenOtherwise) {
  const auto wei = read_json_document("100000000000000000000");
  EXPECT_EQ(write_json_document(xml_decode(encode_data(DataEncoding::Xml, *wei)).value()),
            "100000000000000000000");
}

TEST(KeptNumber, IsRefusedBeyondTheLimits) {
  EXPECT_EQ(number_of("1e1000"), std::nullopt);
  EXPECT_EQ(toon_decode("a: 1e1000").error().message.find("a number beyond 10^1000; put it in"),
            toon_decode("a: 1e1000").error().message.find("a number"));
  EXPECT_FALSE(read_json_document(std::string(1001, '9')));
}

}  // namespace
}  // namespace ba
