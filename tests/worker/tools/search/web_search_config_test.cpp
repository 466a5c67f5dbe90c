// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/web_search_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problem_texts.hpp"

namespace ba::search {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

WebSearchConfig good() {
  WebSearchConfig config = search_defaults(SearchPreset::Searxng);
  config.base_url = "https://search.example.org/searxng/";
  config.api_key = Secret("k");
  config.headers["X-A"] = Secret("b");
  return config;
}

TEST(WebSearchConfig, TakesWhatIsWholeAndWhatIsOff) {
  EXPECT_THAT(texts_of(validate(good())), IsEmpty());
  WebSearchConfig off;
  off.parameters.query.clear();
  EXPECT_THAT(texts_of(validate(off)), IsEmpty());
}

TEST(WebSearchConfig, NamesKeyValueAndRemedy) {
  const auto expect = [](const auto& change, const char* key, const char* remedy) {
    WebSearchConfig config = good();
    change(config);
    EXPECT_THAT(
        texts_of(validate(config)),
        ElementsAre(AllOf(StartsWith(std::string("tools.web_search.") + key), HasSubstr(remedy))));
  };
  constexpr const char* kUrl = "is not http(s)://host[:port][/path]";
  expect([](auto& c) { c.base_url = "ftp://h"; }, "base_url: 'ftp://h'", kUrl);
  expect([](auto& c) { c.base_url = "http://h/?q="; }, "base_url: 'http://***'", kUrl);
  expect([](auto& c) { c.base_url = "http://h/#x"; }, "base_url: 'http://***'", kUrl);
  expect([](auto& c) { c.base_url = "http://"; }, "base_url: 'http://***'", kUrl);
  expect([](auto& c) { c.path = "search"; }, "path: 'search'", "begins with /");
  expect([](auto& c) { c.path = "/s?q"; }, "path: '/s?q'", "neither ? nor #");
  expect([](auto& c) { c.proxy = "h:1"; }, "proxy: 'h:1'", "http(s)://host:port");
  expect([](auto& c) { c.parameters.query = ""; }, "query_parameter: ''", "the name");
  expect([](auto& c) { c.parameters.count = "q"; }, "count_parameter: 'q'",
         "query_parameter has it too");
  expect([](auto& c) { c.parameters.query = "format"; }, "query_parameter: 'format'",
         "parameters has it too");
  expect([](auto& c) { c.parameters.time_range_values["hour"] = "h"; }, "time_range_values: 'hour'",
         "one of day, week, month, year");
  expect([](auto& c) { c.pointers.results = "results"; }, "results_pointer: 'results'", "pointer");
  expect([](auto& c) { c.pointers.title = "/a~2"; }, "title_pointer: '/a~2'", "pointer");
  expect([](auto& c) { c.pointers.url = ""; }, "url_pointer: ''", "pointer");
  expect([](auto& c) { c.pointers.snippet = "/a~"; }, "snippet_pointer: '/a~'", "pointer");
  expect([](auto& c) { c.pointers.published = "a"; }, "published_pointer: 'a'", "pointer");
  expect([](auto& c) { c.headers["a b"] = Secret("x"); }, "headers: 'a b'", "a header's name");
  expect([](auto& c) { c.headers["authorization"] = Secret("x"); }, "headers: 'authorization'",
         "api_key_header");
  expect([](auto& c) { c.api_key_header = "A:"; }, "api_key_header: 'A:'", "a header's name");
}

TEST(WebSearchConfig, ASecretIsInNoMessage) {
  const auto expect = [](const auto& change) {
    WebSearchConfig config = good();
    change(config);
    EXPECT_THAT(texts_of(validate(config)), ElementsAre(Not(HasSubstr("hunter"))));
  };
  expect([](auto& c) { c.base_url = "http://u:hunter2@h"; });
  expect([](auto& c) { c.base_url = "http://hunter@2@h"; });
  expect([](auto& c) { c.base_url = "hunter2@h"; });
  expect([](auto& c) { c.proxy = "http://u:hunter2@h"; });
  expect([](auto& c) { c.api_key = Secret("hunter2\r\nX: y"); });
  expect([](auto& c) { c.headers["X-A"] = Secret("hunter2\n"); });
}

}  // namespace
}  // namespace ba::search
