// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::search {
namespace {

using ::testing::HasSubstr;

std::string item(const std::string& url) { return R"({"url":")" + url + R"("})"; }

std::string answer_with(const std::string& items) { return R"({"results":[)" + items + "]}"; }

std::string data(const std::string& body, const WebSearchConfig& config = {},
                 int results_max = 10) {
  const RawToolResult result = search_answer(body, config, results_max);
  return result.error ? "error: " + result.error->message : result.data;
}

std::string refused(const std::string& body, const WebSearchConfig& config = {}) {
  const RawToolResult result = search_answer(body, config, 10);
  if (!result.error) return "no error: " + result.data;
  EXPECT_EQ(result.error->type, ToolErrorType::DependencyError);
  EXPECT_EQ(result.error->code, "SEARCH_ANSWER_INVALID");
  return result.error->message;
}

TEST(SearchAnswer, NothingFoundIsAResult) { EXPECT_EQ(data(R"({"results":[]})"), "[]"); }

TEST(SearchAnswer, GivesAsManyAsWereAskedForAndSaysThatThereAreMore) {
  const std::string three = answer_with(item("a") + "," + item("b") + "," + item("c"));
  const std::string two =
      R"({"title":"","url":"a","snippet":""},{"title":"","url":"b","snippet":""})";
  EXPECT_EQ(data(three, {}, 2), "[" + two + "]");
  EXPECT_EQ(search_answer(three, {}, 2).note, "Only the first 2 results; the search found more.");
  const std::string both = answer_with(item("a") + "," + item("b"));
  EXPECT_EQ(data(both, {}, 2), "[" + two + "]");
  EXPECT_EQ(search_answer(both, {}, 2).note, "");
}

TEST(SearchAnswer, LeavesOutWhatHasNoUrl) {
  EXPECT_EQ(data(answer_with(R"(null,7,"x",[],{},{"url":null},{"url":3},{"url":""},)" + item("a"))),
            R"([{"title":"","url":"a","snippet":""}])");
  EXPECT_EQ(data(answer_with(item("a") + ",null"), {}, 1),
            R"([{"title":"","url":"a","snippet":""}])");
  EXPECT_THAT(refused(answer_with(R"({"link":"a"},{"link":"b"})")),
              HasSubstr("no text at url_pointer (/url) in any of its 2 results"));
}

TEST(SearchAnswer, FieldsOfOtherTypesAreEmpty) {
  WebSearchConfig config;
  config.pointers.published = "/when";
  EXPECT_EQ(data(answer_with(R"({"url":"a","title":null,"snippet":{"a":1},"when":17})"), config),
            R"([{"title":"","url":"a","snippet":""}])");
}

TEST(SearchAnswer, AnotherShapeIsRefused) {
  for (const char* body : {"[]", "null", "7", "\"results\"", "{}", R"({"results":null})",
                           R"({"results":{"0":1}})", R"({"results":"none"})"})
    EXPECT_THAT(refused(body), HasSubstr("no list at results_pointer (/results)")) << body;
  for (const char* body : {"", " ", "{", R"({"results":[)", "<html>", "{\"results\":[]}x"})
    EXPECT_THAT(refused(body), HasSubstr("is not JSON")) << body;
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("64 levels"));
}

TEST(SearchAnswer, AListThatMayBeMissingIsEmptyThen) {
  WebSearchConfig config;
  config.pointers.results = "/web/results";
  config.results_optional = true;
  EXPECT_EQ(data(R"({"query":"q"})", config), "[]");
  EXPECT_EQ(data(R"({"web":{"results":null}})", config), "[]");
  EXPECT_THAT(refused(R"({"web":{"results":7}})", config), HasSubstr("no list"));
  EXPECT_THAT(refused("[]", config), HasSubstr("no list"));
}

TEST(SearchAnswer, TheListMayBeTheWholeAnswer) {
  WebSearchConfig config;
  config.pointers.results = "";
  EXPECT_EQ(data("[" + item("a") + "]", config), R"([{"title":"","url":"a","snippet":""}])");
}

TEST(SearchAnswer, CutsTitlesAndSnippetsBetweenCharacters) {
  WebSearchConfig config;
  config.title_chars_max = 2;
  config.snippet_chars_max = 3;
  EXPECT_EQ(data(answer_with(R"({"url":"a","title":"äöü","snippet":"abcd"})"), config),
            R"([{"title":"äö…","url":"a","snippet":"abc…"}])");
  EXPECT_EQ(data(answer_with(R"({"url":"a","title":"äö","snippet":"abc"})"), config),
            R"([{"title":"äö","url":"a","snippet":"abc"}])");
}

TEST(SearchAnswer, StringsAreMadeWellFormed) {
  EXPECT_EQ(data(answer_with("{\"url\":\"a\",\"title\":\"\xff\",\"snippet\":\"b\\u0000c\"}")),
            "[{\"title\":\"\xef\xbf\xbd\",\"url\":\"a\",\"snippet\":"
            "\"b\xef\xbf\xbd"
            "c\"}]");
}

TEST(SearchAnswer, HalfACharacterSpoilsNoAnswer) {
  const auto title = [](const std::string& text) {
    const std::string told = data(answer_with(R"({"url":"a","title":")" + text + "\"}"));
    const std::string before = R"([{"title":")";
    return told.substr(before.size(), told.find('"', before.size()) - before.size());
  };
  EXPECT_EQ(title(R"(\ud83d\ude00)"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(title(R"(a\ud83d)"), "a\xef\xbf\xbd");
  EXPECT_EQ(title(R"(\ude00z)"), "\xef\xbf\xbdz");
  EXPECT_EQ(title(R"(\ud83d\ud83d\ude00)"), "\xef\xbf\xbd\xf0\x9f\x98\x80");
  EXPECT_EQ(title(R"(\\ud83d)"), R"(\\ud83d)");
  EXPECT_EQ(title(R"(\u00e4)"), "\xc3\xa4");
  EXPECT_THAT(refused(R"({"results":[{"url":"\ud8)"), HasSubstr("is not JSON"));
  EXPECT_THAT(refused("{\"results\":[{\"url\":\"\\"), HasSubstr("is not JSON"));
}

}  // namespace
}  // namespace ba::search
