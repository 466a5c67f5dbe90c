// SPDX-License-Identifier: Apache-2.0
// Section tools.web_search.
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/print_settings.hpp"

namespace ba::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class WebSearchSection : public ConfigTest {
 protected:
  LoadedConfig search(const std::string& settings, Environment environment = {}) {
    return load("tools: {web_search: {" + settings + "}}\n", std::move(environment));
  }
  std::vector<std::string> wrong(const std::string& settings) {
    return errors("tools:\n  web_search: {" + settings + "}\n");
  }
};

TEST_F(WebSearchSection, IsOffWithoutAnAddress) {
  const LoadedConfig loaded = load("");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.tools.of<search::WebSearchConfig>(), search::WebSearchConfig{});
  EXPECT_EQ(loaded.config.tools.of<search::WebSearchConfig>().base_url, "");
}

TEST_F(WebSearchSection, APresetSetsWhatNobodyElseSets) {
  const LoadedConfig loaded = search(
      "preset: searxng, base_url: 'http://h:8080', language_parameter: '', "
      "parameters: {safesearch: 2, language: de}");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  search::WebSearchConfig expected = search::search_defaults(search::SearchPreset::Searxng);
  expected.base_url = "http://h:8080";
  expected.parameters.language = "";
  expected.parameters.fixed = {{"format", "json"}, {"language", "de"}, {"safesearch", "2"}};
  EXPECT_EQ(loaded.config.tools.of<search::WebSearchConfig>(), expected);
  EXPECT_EQ(loaded.config.tools.of<search::WebSearchConfig>().path, "/search");
  EXPECT_EQ(loaded.config.tools.of<search::WebSearchConfig>().pointers.snippet, "/content");
}

TEST_F(WebSearchSection, EveryKeyIsRead) {
  const std::string header = write("header", "from-a-file\n");
  const std::string parameter = write("parameter", "p-from-a-file\n");
  const LoadedConfig loaded = search(
      "base_url: 'https://h/v1', path: /find, method: post, query_parameter: s, "
      "count_parameter: n, language_parameter: l, time_range_parameter: t, "
      "time_range_values: {day: pd}, parameters: {cx: a}, parameter_files: {key: " +
      parameter +
      "}, results_pointer: /a, results_optional: true, title_pointer: /b, url_pointer: /c, "
      "snippet_pointer: /d, published_pointer: /e, headers: {X-A: v}, header_files: {X-B: " +
      header +
      "}, api_key: k-in-the-file, api_key_header: X-Key, timeout_ms: 1, "
      "connect_timeout_ms: 2, response_bytes_max: 2048, concurrency_max: 3, title_chars_max: 4, "
      "snippet_chars_max: 5, proxy: 'http://p:1', ca_file: /ca");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  search::WebSearchConfig expected;
  expected.base_url = "https://h/v1";
  expected.path = "/find";
  expected.method = search::SearchMethod::Post;
  expected.parameters = {
      "s", "n", "l", "t", {{"day", "pd"}}, {{"cx", "a"}, {"key", "p-from-a-file"}}};
  expected.pointers = {"/a", "/b", "/c", "/d", "/e"};
  expected.results_optional = true;
  expected.headers = {{"X-A", Secret("v")}, {"X-B", Secret("from-a-file")}};
  expected.api_key = Secret("k-in-the-file");
  expected.api_key_header = "X-Key";
  expected.timeout = Milliseconds(1);
  expected.connect_timeout = Milliseconds(2);
  expected.response_bytes_max = 2048;
  expected.concurrency_max = 3;
  expected.title_chars_max = 4;
  expected.snippet_chars_max = 5;
  expected.proxy = "http://p:1";
  expected.ca_file = "/ca";
  EXPECT_EQ(loaded.config.tools.of<search::WebSearchConfig>(), expected);
}

TEST_F(WebSearchSection, TheKeyMayStandInTheEnvironmentOrInAFile) {
  EXPECT_EQ(search("api_key: '${SEARCH_KEY}'", Environment{{{"SEARCH_KEY", "from-outside"}}})
                .config.tools.of<search::WebSearchConfig>()
                .api_key.reveal(),
            "from-outside");
  EXPECT_EQ(search("api_key_file: " + write("key", "in-a-file\n"))
                .config.tools.of<search::WebSearchConfig>()
                .api_key.reveal(),
            "in-a-file");
}

TEST_F(WebSearchSection, SecretsAreShownNowhere) {
  const LoadedConfig loaded = search(
      "base_url: 'http://h', api_key: topsecret1, headers: {X-A: topsecret2}, "
      "parameters: {key: topsecret3}, header_files: {X-B: " +
      write("b", "topsecret4") + "}, parameter_files: {p: " + write("p", "topsecret5") + "}");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_THAT(settings_as_yaml(loaded.findings.settings, true), Not(HasSubstr("topsecret")));
  for (const char* secret : {"topsecret1", "topsecret2", "topsecret3", "topsecret4", "topsecret5"})
    EXPECT_THAT(loaded.findings.secrets, Contains(secret));
}

TEST_F(WebSearchSection, AnErrorNamesPlaceKeyValueAndRemedy) {
  EXPECT_THAT(wrong("base_url: 'ftp://h'"),
              ElementsAre(AllOf(HasSubstr("c.yaml:2"), HasSubstr("tools.web_search.base_url"),
                                HasSubstr("'ftp://h'"), HasSubstr("http(s)://host"))));
  EXPECT_THAT(wrong("base_url: 'http://u:topsecret@h'"),
              ElementsAre(AllOf(HasSubstr("tools.web_search.base_url"), HasSubstr("api_key"),
                                Not(HasSubstr("topsecret")))));
  EXPECT_THAT(
      wrong("timeout_ms: 0"),
      ElementsAre(HasSubstr("tools.web_search.timeout_ms: timeout_ms must be positive: 0")));
  EXPECT_THAT(wrong("response_bytes_max: 5"),
              ElementsAre(AllOf(HasSubstr("tools.web_search.response_bytes_max"), HasSubstr("5"),
                                HasSubstr("1024"), HasSubstr("16777216"))));
  EXPECT_THAT(wrong("preset: bing"),
              ElementsAre(AllOf(HasSubstr("bing"), HasSubstr("none, searxng"))));
  EXPECT_THAT(wrong("method: put"), ElementsAre(AllOf(HasSubstr("put"), HasSubstr("get, post"))));
  EXPECT_THAT(wrong("base_urI: 'http://h'"),
              ElementsAre(AllOf(HasSubstr("base_urI"), HasSubstr("base_url"))));
}

}  // namespace
}  // namespace ba::config
