// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_request.hpp"

#include <gtest/gtest.h>

namespace ba::search {
namespace {

SearchOrder order(const std::string& query) {
  SearchOrder order;
  order.query = query;
  return order;
}

TEST(SearchRequest, EncodesAllButUnreservedCharacters) {
  const http::HttpPost request = search_request({}, order("aZ0-._~ +&=#?/%\n\xc3\xa4"));
  EXPECT_EQ(request.method, http::HttpMethod::Get);
  EXPECT_EQ(request.query, "q=aZ0-._~%20%2B%26%3D%23%3F%2F%25%0A%C3%A4");
  EXPECT_EQ(request.body, nullptr);
}

TEST(SearchRequest, SendsOnlyWhatHasAName) {
  SearchOrder all = order("x");
  all.results_max = 7;
  all.language = "de";
  all.time_range = "day";
  EXPECT_EQ(search_request({}, all).query, "q=x");
  WebSearchConfig config;
  config.parameters = {"s", "n", "lang", "since", {{"day", "pd"}}, {{"a b", "c&d"}}};
  EXPECT_EQ(search_request(config, all).query, "a%20b=c%26d&s=x&n=7&lang=de&since=pd");
  all.time_range = "year";
  EXPECT_EQ(search_request(config, all).query, "a%20b=c%26d&s=x&n=7&lang=de&since=year");
  EXPECT_EQ(search_request(config, order("x")).query, "a%20b=c%26d&s=x&n=10");
}

TEST(SearchRequest, ABodyHasNumbersAndTruthValuesAsSuch) {
  WebSearchConfig config;
  config.method = SearchMethod::Post;
  config.parameters.count = "n";
  config.parameters.fixed = {{"a", "true"}, {"b", "false"}, {"c", "1.5"},
                             {"d", "007"},  {"e", "null"},  {"f", "[1]"}};
  const http::HttpPost request = search_request(config, order("x"));
  EXPECT_EQ(request.method, http::HttpMethod::Post);
  EXPECT_EQ(request.query, "");
  EXPECT_EQ(*request.body,
            R"({"a":true,"b":false,"c":1.5,"d":"007","e":"null","f":"[1]","q":"x","n":10})");
}

TEST(SearchRequest, JoinsAddressAndPath) {
  const auto url = [](const char* base, const char* path) {
    WebSearchConfig config;
    config.base_url = base;
    config.path = path;
    return search_endpoint(config).url;
  };
  EXPECT_EQ(url("http://h", "/search"), "http://h/search");
  EXPECT_EQ(url("http://h/s/", "/search"), "http://h/s/search");
  EXPECT_EQ(url("http://h/s/", ""), "http://h/s/");
}

TEST(SearchRequest, TheKeyIsInItsHeaderOnly) {
  WebSearchConfig config;
  const auto value = [&](std::string_view name) {
    for (const auto& [header, secret] : search_endpoint(config).headers)
      if (header == name) return secret.reveal();
    return std::string("none");
  };
  EXPECT_EQ(value("Authorization"), "none");
  config.api_key = Secret("k");
  EXPECT_EQ(value("Authorization"), "Bearer k");
  config.api_key_header = "authorization";
  EXPECT_EQ(value("authorization"), "Bearer k");
  config.api_key_header = "X-Key";
  EXPECT_EQ(value("X-Key"), "k");
  EXPECT_EQ(value("Authorization"), "none");
}

}  // namespace
}  // namespace ba::search
