// SPDX-License-Identifier: Apache-2.0
// Searches that succeed, and those that are given up.
#include "worker/tools/search/web_search.hpp"

#include <functional>
#include <set>

#include "tests/worker/tools/search/search_fixture.hpp"

namespace ba::search {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSearxngAnswer = R"({"query":"q","number_of_results":0,"results":[
  {"url":"https://a.example/1","title":"One","content":"First.","engine":"e","score":2.0,
   "publishedDate":"2026-01-02T00:00:00"},
  {"url":"https://b.example/2","title":"Two","content":"Second.","publishedDate":null}],
  "answers":[],"suggestions":[]})";

TEST_F(WebSearchTest, AsksSearxngAndGivesItsResults) {
  serve_answer(200, kSearxngAnswer);
  const RawToolResult result =
      search(R"({"query":"two words & ü","language":"pt-BR","time_range":"week"})");
  ASSERT_FALSE(result.error) << result.error->message;
  EXPECT_EQ(result.data, R"([{"title":"One","url":"https://a.example/1","snippet":"First.",)"
                         R"("published":"2026-01-02T00:00:00"},)"
                         R"({"title":"Two","url":"https://b.example/2","snippet":"Second."}])");
  ASSERT_EQ(stub_.requests.size(), 1u);
  EXPECT_THAT(stub_.requests[0].head,
              StartsWith("GET /search?format=json&q=two%20words%20%26%20%C3%BC&language=pt-BR&"
                         "time_range=week HTTP/1.1\r\n"));
  EXPECT_EQ(stub_.requests[0].body, "");
}

TEST_F(WebSearchTest, AsksAnotherApiAsItIsConfigured) {
  config_ = WebSearchConfig{};
  config_.base_url = stub_.url() + "/v1/find";
  config_.method = SearchMethod::Post;
  config_.parameters.query = "text";
  config_.parameters.count = "n";
  config_.parameters.fixed = {{"deep", "false"}, {"place", "web"}};
  config_.pointers = {"/web/items", "/name", "/links/0", "/about/short", "/age"};
  config_.headers["X-Client"] = Secret("ba");
  config_.api_key = Secret("the-key");
  config_.api_key_header = "X-Api-Key";
  serve_answer(200, R"({"web":{"items":[{"name":"N","links":["http://x/"],
    "about":{"short":"S"},"age":"2 days"}]}})");
  const RawToolResult result = search(R"({"query":"a \"b\"","max_results":3})");
  ASSERT_FALSE(result.error) << result.error->message;
  EXPECT_EQ(result.data, R"([{"title":"N","url":"http://x/","snippet":"S","published":"2 days"}])");
  const Request& request = stub_.requests.at(0);
  EXPECT_THAT(request.head, StartsWith("POST /v1/find HTTP/1.1\r\n"));
  EXPECT_THAT(request.head, HasSubstr("X-Api-Key: the-key\r\n"));
  EXPECT_THAT(request.head, HasSubstr("X-Client: ba\r\n"));
  EXPECT_THAT(request.head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_EQ(request.body, R"({"deep":false,"place":"web","text":"a \"b\"","n":3})");
}

TEST_F(WebSearchTest, TheKeyIsABearerOfTheUsualHeader) {
  config_.api_key = Secret("the-key");
  serve_answer(200, kSearxngAnswer);
  EXPECT_FALSE(search().error);
  EXPECT_THAT(stub_.requests.at(0).head, EndsWith("\r\nAuthorization: Bearer the-key"));
}

TEST_F(WebSearchTest, OffersOnlyWhatTheApiCanBeTold) {
  EXPECT_THAT(tool().descriptor().parameters_schema, HasSubstr("\"time_range\""));
  tool_.reset();
  config_.parameters.language.clear();
  config_.parameters.time_range.clear();
  EXPECT_THAT(tool().descriptor().parameters_schema, Not(HasSubstr("language")));
  EXPECT_THAT(tool().descriptor().parameters_schema, Not(HasSubstr("time_range")));
}

TEST_F(WebSearchTest, KeepsItsConnection) {
  serve_answer(200, kSearxngAnswer);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(search().error);
  EXPECT_EQ(stub_.requests.size(), 3u);
  EXPECT_EQ(stub_.opened_connections(), 1);
}

TEST_F(WebSearchTest, WaitsWhereTooManyAreUnderWay) {
  config_.concurrency_max = 1;
  std::shared_ptr<Connection> first;
  serve([&](Connection& connection, const Request&) { first = connection.shared_from_this(); });
  const auto one = start(R"({"query":"one"})");
  const auto two = start(R"({"query":"two"})");
  bool over = false;
  const auto timer = loop_.after(Milliseconds(50), [&] { over = true; });
  ASSERT_TRUE(loop_.run_until([&] { return over && first; }));
  ASSERT_EQ(stub_.requests.size(), 1u);
  EXPECT_THAT(stub_.requests[0].head, HasSubstr("q=one"));
  first->answer(200, kSearxngAnswer);
  ASSERT_TRUE(loop_.run_until([&] { return stub_.requests.size() == 2; }));
  EXPECT_THAT(stub_.requests[1].head, HasSubstr("q=two"));
}

TEST_F(WebSearchTest, ADestroyedRunClosesItsConnection) {
  serve([](Connection& connection, const Request&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
  });
  auto run = start(R"({"query":"q"})");
  ASSERT_TRUE(loop_.run_until([&] { return stub_.requests.size() == 1; }));
  EXPECT_EQ(stub_.open_connections(), 1);
  run.reset();
  EXPECT_TRUE(loop_.run_until([&] { return stub_.open_connections() == 0; }));
  EXPECT_FALSE(result_);
}

TEST_F(WebSearchTest, ATimeoutEndsTheRequestAndSaysSo) {
  timeout_ = Milliseconds(50);
  serve([](Connection&, const Request&) {});
  const auto run = start(R"({"query":"q"})");
  ASSERT_TRUE(loop_.run_until([&] { return result_.has_value(); }));
  EXPECT_EQ(error_of(*result_),
            (ToolError{ToolErrorType::Timeout, "TIMEOUT", "Tool execution timed out after 50ms"}));
  // The run is still there: it is the timeout that closed the connection.
  EXPECT_TRUE(loop_.run_until([&] { return stub_.open_connections() == 0; }));
}

TEST_F(WebSearchTest, AnAnswerThatDripsIsTimedOutToo) {
  timeout_ = Milliseconds(80);
  std::function<void()> drip;
  std::unique_ptr<Timer> timer;
  std::shared_ptr<Connection> held;
  serve([&](Connection& connection, const Request&) {
    held = connection.shared_from_this();
    held->send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    drip = [&] {
      held->send("[");
      timer = loop_.after(Milliseconds(5), drip);
    };
    drip();
  });
  EXPECT_EQ(error_of(search()).code, "TIMEOUT");
  timer.reset();
}

TEST_F(WebSearchTest, ABlankQueryAsksNobody) {
  const RawToolResult result = search(R"({"query":" \t\n"})");
  EXPECT_EQ(error_of(result).type, ToolErrorType::InvalidParameters);
  EXPECT_THAT(error_of(result).message, HasSubstr("query is blank"));
  EXPECT_EQ(stub_.opened_connections(), 0);
}

/// What one API answered isn't given where another is asked, or asked otherwise.
TEST_F(WebSearchTest, WhatIsAskedAndHowIsInTheToolsVersion) {
  const auto version = [this](const auto& change) {
    WebSearchConfig config = search_defaults(SearchPreset::Searxng);
    config.base_url = "http://h";
    change(config);
    return WebSearch(config, nullptr, loop_).descriptor().version;
  };
  std::set<std::string> versions;
  const std::vector<std::function<void(WebSearchConfig&)>> changes = {
      [](WebSearchConfig&) {},
      [](WebSearchConfig& config) { config.base_url = "http://i"; },
      [](WebSearchConfig& config) { config.path = "/other"; },
      [](WebSearchConfig& config) { config.method = SearchMethod::Post; },
      [](WebSearchConfig& config) { config.parameters.query = "text"; },
      [](WebSearchConfig& config) { config.parameters.count = "n"; },
      [](WebSearchConfig& config) { config.parameters.language = "lang"; },
      [](WebSearchConfig& config) { config.parameters.time_range = "since"; },
      [](WebSearchConfig& config) { config.parameters.time_range_values["day"] = "d"; },
      [](WebSearchConfig& config) { config.pointers.snippet = "/text"; },
      [](WebSearchConfig& config) { config.results_optional = !config.results_optional; },
      [](WebSearchConfig& config) { config.snippet_chars_max = 7; },
  };
  for (const auto& change : changes) versions.insert(version(change));
  EXPECT_EQ(versions.size(), changes.size());
  EXPECT_EQ(version([](WebSearchConfig& config) { config.parameters.fixed["key"] = "secret"; }),
            version([](WebSearchConfig&) {}));
}

}  // namespace
}  // namespace ba::search
