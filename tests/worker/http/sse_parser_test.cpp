// SPDX-License-Identifier: Apache-2.0
#include "worker/http/sse_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ba::http {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Events parse(const std::vector<std::string>& pieces) {
  SseParser parser(1000);
  Events events;
  for (const std::string& piece : pieces) {
    parser.feed(piece);
    for (auto event = parser.next(); event && *event; event = parser.next())
      events.emplace_back((*event)->name, (*event)->data);
  }
  return events;
}

TEST(SseParser, ReadsNamesAndData) {
  EXPECT_THAT(parse({"event: a\ndata: 1\n\ndata:2\n\n"}),
              ElementsAre(Pair("a", "1"), Pair("", "2")));
}

TEST(SseParser, JoinsDataLinesAndSkipsCommentsAndUnknownFields) {
  EXPECT_THAT(parse({": hello\ndata: 1\nid: 7\nretry: 1\nnonsense\ndata:  2\n: x\ndata\n\n"}),
              ElementsAre(Pair("", "1\n 2\n")));
}

TEST(SseParser, KeepsTheLastIdAndTheTimeToWaitBeforeAnotherTry) {
  SseParser parser(1000);
  parser.feed("id: a-1\nretry: 500\ndata:\n\nretry: soon\ndata: 2\n\nid\ndata: 3\n\n");
  auto event = parser.next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->data, "");
  EXPECT_EQ((*event)->id, "a-1");
  EXPECT_EQ(parser.retry(), std::chrono::milliseconds(500));
  event = parser.next();
  EXPECT_EQ((*event)->id, "a-1");
  EXPECT_EQ(parser.retry(), std::chrono::milliseconds(500));
  event = parser.next();
  EXPECT_EQ((*event)->id, "");
}

TEST(SseParser, DropsANameWithoutDataAndAnUnfinishedEvent) {
  EXPECT_THAT(parse({"event: a\n\ndata: 1\n\ndata: 2\n"}), ElementsAre(Pair("", "1")));
}

TEST(SseParser, SkipsAByteOrderMark) {
  EXPECT_THAT(parse({"\xef\xbb\xbf"
                     "data: 1\n\n"}),
              ElementsAre(Pair("", "1")));
}

TEST(SseParser, GivesTheSameForEveryLineEndAndEveryCut) {
  const std::string lines[] = {"event: x", "data: {\"a\":1}", "data: ü€", "", ": c", "data: 2", ""};
  const Events expected = {{"x", "{\"a\":1}\nü€"}, {"", "2"}};
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string bytes;
    for (const std::string& line : lines) bytes += line + end;
    bytes += ":end" + end;  // what follows a last CR must show that no LF comes
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
      ASSERT_EQ(parse({bytes.substr(0, cut), bytes.substr(cut)}), expected) << cut;
    std::vector<std::string> single;
    for (const char byte : bytes) single.emplace_back(1, byte);
    EXPECT_EQ(parse(single), expected);
  }
}

TEST(SseParser, RefusesALineThatIsTooLongBeforeItEnds) {
  SseParser parser(10);
  parser.feed("data: 12345");
  const auto event = parser.next();
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::LimitExceeded);
}

TEST(SseParser, RefusesAnEventThatIsTooLongInSum) {
  SseParser parser(12);
  parser.feed("data: 12345\ndata: 123\n\n");
  EXPECT_FALSE(parser.next());
}

TEST(SseParser, TakesAnEventOfExactlyTheLimit) {
  SseParser parser(11);
  parser.feed("data: 12345\n\n");
  const auto event = parser.next();
  ASSERT_TRUE(event);
  EXPECT_EQ((*event)->data, "12345");
}

}  // namespace
}  // namespace ba::http
