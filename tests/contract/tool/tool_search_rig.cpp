// SPDX-License-Identifier: Apache-2.0
// web_search, before a search service that finds what it is asked for.

#include "tests/contract/tool/tool_contract.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/tools/search/search_request.hpp"
#include "worker/tools/search/web_search.hpp"

namespace ba {
namespace {

class WebSearchRig final : public ToolRig {
 public:
  WebSearchRig() {
    stub_.on_request = [](HttpStubConnection& connection, const HttpStub::Request& request) {
      const std::size_t from = request.head.find("?q=") + 3;
      const std::string query = request.head.substr(from, request.head.find(' ', from) - from);
      connection.answer(200, R"({"results":[{"title":")" + query + R"(","url":"http://x/"}]})");
    };
    search::WebSearchConfig config;
    config.base_url = stub_.url();
    auto endpoint = http_->open(search::search_endpoint(config));
    tool_ = std::make_unique<search::WebSearch>(config, std::move(*endpoint), loop_);
  }

  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }
  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"query":")" + query(number) + R"("})";
    return call;
  }
  std::string data(int number) override {
    return R"([{"title":")" + query(number) + R"(","url":"http://x/","snippet":""}])";
  }
  bool run_until(const std::function<bool()>& reached) override { return loop_.run_until(reached); }
  void settle() override {
    bool over = false;
    const auto timer = loop_.after(Milliseconds(50), [&] { over = true; });
    EXPECT_TRUE(loop_.run_until([&] { return over; }));
  }

 private:
  static std::string query(int number) { return "query" + std::to_string(number); }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  std::unique_ptr<http::HttpClient> http_ = http::make_curl_http_client(loop_.io);
  std::unique_ptr<Tool> tool_;
};

INSTANTIATE_TEST_SUITE_P(Search, ToolContract,
                         testing::Values(ToolKind{"WebSearch",
                                                  [] { return std::make_unique<WebSearchRig>(); }}),
                         kind_name);

}  // namespace
}  // namespace ba
