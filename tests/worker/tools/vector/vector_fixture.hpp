#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool before an embeddings service of the test's own, over real sockets: the vector of a query
// is the numbers that are in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/tools/vector/embedding.hpp"
#include "worker/tools/vector/vector_search.hpp"

namespace ba::vector {

class VectorSearchTest : public ::testing::Test {
 protected:
  using Connection = HttpStubConnection;
  using Request = HttpStub::Request;
  using Json = nlohmann::ordered_json;

  VectorSearchTest() {
    config_.base_url = stub_.url();
    config_.model = "words";
    config_.dimensions = 3;
    VectorIndexConfig& index = config_.indexes.emplace_back();
    index.name = "passages";
    index.data_source = "kb";
    index.table = "ba_passages";
    index.tenant_column = "tenant";
    source_.name = "kb";
    source_.url = "postgresql://nobody@127.0.0.1:1/none";
    serve([](Connection& connection, const Request& request) {
      connection.answer(200, answer_with(numbers_in(Json::parse(request.body).at("input"))));
    });
  }

  static Json numbers_in(const std::string& query) {
    std::istringstream words(query);
    Json numbers = Json::array();
    for (double number = 0; words >> number;) numbers.push_back(number);
    return numbers;
  }
  static std::string answer_with(const Json& embedding) {
    return Json{{"data", {{{"index", 0}, {"embedding", embedding}}}}, {"model", "words"}}.dump();
  }

  /// Makes the tool, the first time.
  VectorSearch& tool() {
    if (!tool_) {
      auto endpoint = http_->open(embedding_endpoint(config_));
      EXPECT_TRUE(endpoint);
      tool_ = std::make_unique<VectorSearch>(config_, std::vector{source_}, std::move(*endpoint),
                                             loop_);
    }
    return *tool_;
  }

  void serve(std::function<void(Connection&, const Request&)> what) {
    stub_.on_request = std::move(what);
  }
  void serve_answer(int status, std::string body, std::string headers = "") {
    serve(
        [=](Connection& connection, const Request&) { connection.answer(status, body, headers); });
  }

  std::unique_ptr<ToolRun> start(const std::string& query, Json more = Json::object()) {
    more["query"] = query;
    more["index"] = "passages";
    ToolInvocation call;
    call.parameters = more.dump();
    call.timeout = timeout_;
    call.tenant = TenantId(tenant_);
    return tool().run(std::move(call),
                      [this](RawToolResult result) { result_ = std::move(result); });
  }

  RawToolResult search(const std::string& query, Json more = Json::object()) {
    result_.reset();
    const auto run = start(query, std::move(more));
    EXPECT_TRUE(loop_.run_until([&] { return result_.has_value(); }));
    return result_.value_or(RawToolResult{});
  }

  /// The data, or what went wrong.
  std::string found(const std::string& query, Json more = Json::object()) {
    const RawToolResult result = search(query, std::move(more));
    return result.error ? result.error->code + ": " + result.error->message : result.data;
  }

  /// The ids alone, with spaces between.
  std::string ids(const std::string& query, Json more = Json::object()) {
    const RawToolResult result = search(query, std::move(more));
    if (result.error) return result.error->code + ": " + result.error->message;
    std::string ids;
    const Json data = Json::parse(result.data);
    for (const Json& row : data)
      ids += (ids.empty() ? "" : " ") +
             (row.at("id").is_string() ? row.at("id").get<std::string>() : row.at("id").dump());
    return ids;
  }

  ToolError error_of(const RawToolResult& result) {
    EXPECT_TRUE(result.error) << result.data;
    return result.error.value_or(ToolError{});
  }

  VectorIndexConfig& index() { return config_.indexes[0]; }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  std::unique_ptr<http::HttpClient> http_ = http::make_curl_http_client(loop_.io);
  VectorSearchConfig config_;
  sql::DataSourceConfig source_;
  Milliseconds timeout_{20'000};
  std::string tenant_ = "acme";
  std::optional<RawToolResult> result_;
  std::unique_ptr<VectorSearch> tool_;
};

}  // namespace ba::vector
