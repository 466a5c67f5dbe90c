#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool before a search service of the test's own: real sockets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/tools/search/search_request.hpp"
#include "worker/tools/search/web_search.hpp"

namespace ba::search {

class WebSearchTest : public ::testing::Test {
 protected:
  using Connection = HttpStubConnection;
  using Request = HttpStub::Request;
  using Json = nlohmann::ordered_json;

  WebSearchTest() {
    config_ = search_defaults(SearchPreset::Searxng);
    config_.base_url = stub_.url();
  }

  /// Makes the tool, the first time.
  WebSearch& tool() {
    if (!tool_) {
      auto endpoint = http_->open(search_endpoint(config_));
      EXPECT_TRUE(endpoint);
      tool_ = std::make_unique<WebSearch>(config_, std::move(*endpoint), loop_);
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
  void serve_bytes(std::string bytes) {
    serve([=](Connection& connection, const Request&) {
      connection.send(bytes);
      connection.close();
    });
  }

  std::unique_ptr<ToolRun> start(const std::string& parameters) {
    ToolInvocation call;
    call.parameters = parameters;
    call.timeout = timeout_;
    return tool().run(std::move(call),
                      [this](RawToolResult result) { result_ = std::move(result); });
  }

  RawToolResult search(const std::string& parameters = R"({"query":"q"})") {
    result_.reset();
    const auto run = start(parameters);
    EXPECT_TRUE(loop_.run_until([&] { return result_.has_value(); }));
    return result_.value_or(RawToolResult{});
  }

  ToolError error_of(const RawToolResult& result) {
    EXPECT_TRUE(result.error) << result.data;
    return result.error.value_or(ToolError{});
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  std::unique_ptr<http::HttpClient> http_ = http::make_curl_http_client(loop_.io);
  WebSearchConfig config_;
  Milliseconds timeout_{20'000};
  std::optional<RawToolResult> result_;
  std::unique_ptr<WebSearch> tool_;
};

}  // namespace ba::search
