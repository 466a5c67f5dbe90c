// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/json_document.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/xml.hpp"

namespace ba {
namespace {

std::string times(std::size_t count, const std::string& piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

OrderedJson nested(int levels, bool objects) {
  OrderedJson value = objects ? OrderedJson::object() : OrderedJson::array();
  for (int i = 1; i < levels; ++i)
    value = objects ? OrderedJson{{"k", std::move(value)}} : OrderedJson::array({std::move(value)});
  return value;
}

template <typename T>
ErrorCode code_of(const Result<T>& result) {
  return result ? ErrorCode::Internal : result.error().code;
}

TEST(EncodingLimits, BoundsTheDepthOfEveryReader) {
  for (const bool objects : {false, true}) {
    const OrderedJson most = nested(kEncodedDepthMax, objects);
    const OrderedJson more = nested(kEncodedDepthMax + 1, objects);
    EXPECT_EQ(toon_decode(toon_encode(most)).value(), most);
    EXPECT_EQ(code_of(toon_decode(toon_encode(more))), ErrorCode::LimitExceeded);
    EXPECT_EQ(xml_decode(encode_data(DataEncoding::Xml, most)).value(), most);
    EXPECT_EQ(code_of(xml_decode(encode_data(DataEncoding::Xml, more))), ErrorCode::LimitExceeded);
    EXPECT_EQ(read_json_document(most.dump()).value(), most);
    EXPECT_FALSE(read_json_document(more.dump()));
  }
  EXPECT_FALSE(xml_decode("<data>" + times(100000, "<a>")));
  EXPECT_FALSE(toon_decode("[1]" + times(100000, "{a") + ":"));
}

TEST(EncodingLimits, BoundsTheMembersOfAnObject) {
  std::string toon;
  std::string json = "{";
  for (std::size_t i = 0; i <= kEncodedMembersMax; ++i) {
    const std::string name = "k" + std::to_string(i);
    toon += name + ": 1\n";
    json += (i == 0 ? "\"" : ",\"") + name + "\":1";
  }
  EXPECT_EQ(code_of(toon_decode(toon)), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of(read_json_document(json + "}")), ErrorCode::LimitExceeded);
  const std::size_t last = toon.rfind('k');
  EXPECT_EQ(toon_decode(std::string_view(toon).substr(0, last)).value().size(), kEncodedMembersMax);
}

TEST(EncodingLimits, BoundsTheNamesOfATable) {
  const std::string name(1 << 20, 'n');
  const std::size_t rows = (kTableNameBytesMax >> 20) + 1;
  const std::string text = "[" + std::to_string(rows) + "]{" + name + "}:\n" + times(rows, "  1\n");
  EXPECT_EQ(code_of(toon_decode(text)), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of(toon_decode("[18446744073709551615]{a}:\n  1")), ErrorCode::LimitExceeded);
  ToonReading lenient;
  lenient.strict = false;
  EXPECT_EQ(toon_decode("[2]{a,b}:\n  1", lenient).value().dump(), R"([{"a":1,"b":null}])");
}

TEST(EncodingLimits, SaysWhereAndWhatWouldBeRight) {
  EXPECT_EQ(toon_decode("a: 1\nb").error().message,
            "line 2: a ':' is missing behind the member's name (NAME: VALUE)");
  EXPECT_EQ(toon_decode("a[2]: 1").error().message,
            "line 1: the header declares 2 values, but there are 1");
  EXPECT_EQ(xml_decode("<data>\n<a></b></data>").error().message, "line 2: </a> must stand here");
  EXPECT_EQ(xml_decode("<data>&nbsp;</data>").error().message,
            "line 1: an unknown entity; allowed are &lt; &gt; &amp; &quot; &apos; &#N; and &#xN;");
}

}  // namespace
}  // namespace ba
