// SPDX-License-Identifier: Apache-2.0
// vector_search, before an embeddings service whose vectors are all alike and a table of one row
// for each call's tenant.
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/contract/tool/tool_contract.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "tests/worker/tools/sql/write_database.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/tools/vector/embedding.hpp"
#include "worker/tools/vector/vector_search.hpp"

namespace ba {
namespace {

/// One for all tests: it takes long to make.
const sql::WriteDatabase& vector_database() {
  static const sql::WriteDatabase one("vector_");
  return one;
}

class VectorSearchRig final : public ToolRig {
 public:
  VectorSearchRig() {
    make_table();
    stub_.on_request = [](HttpStubConnection& connection, const HttpStub::Request&) {
      connection.answer(200, R"({"data":[{"embedding":[1,0]}]})");
    };
    vector::VectorSearchConfig config;
    config.base_url = stub_.url();
    config.dimensions = 2;
    vector::VectorIndexConfig& index = config.indexes.emplace_back();
    index.name = "passages";
    index.data_source = "kb";
    index.table = "ba_passages";
    index.tenant_column = "tenant";
    sql::DataSourceConfig source;
    source.name = "kb";
    source.url = vector_database().writer_url();
    auto endpoint = http_->open(vector::embedding_endpoint(config));
    tool_ = std::make_unique<vector::VectorSearch>(config, std::vector{source},
                                                   std::move(*endpoint), loop_);
  }

  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }
  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"query":"q","index":"passages"})";
    call.tenant = TenantId("tenant" + std::to_string(number));
    return call;
  }
  std::string data(int number) override {
    return R"([{"id":")" + std::to_string(number) + R"(","score":1.0,"text":"t"}])";
  }
  bool run_until(const std::function<bool()>& reached) override { return loop_.run_until(reached); }
  void settle() override {
    bool over = false;
    const auto timer = loop_.after(Milliseconds(50), [&] { over = true; });
    EXPECT_TRUE(loop_.run_until([&] { return over; }));
  }

 private:
  static void make_table() {
    std::ifstream in("config/vector_index.sql");
    std::ostringstream text;
    text << in.rdbuf();
    sql::Person owner(vector_database().owner_url());
    owner.run(std::regex_replace(text.str(), std::regex(":\"reader\""), "ba_reader"));
    owner.run(
        "INSERT INTO ba_passages (tenant, id, text, embedding) SELECT 'tenant' || n, n, 't', "
        "'{1,0}' FROM generate_series(0, 99) n ON CONFLICT DO NOTHING");
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  std::unique_ptr<http::HttpClient> http_ = http::make_curl_http_client(loop_.io);
  std::unique_ptr<Tool> tool_;
};

INSTANTIATE_TEST_SUITE_P(Vector, ToolContract,
                         testing::Values(ToolKind{
                             "VectorSearch", [] { return std::make_unique<VectorSearchRig>(); }}),
                         kind_name);

}  // namespace
}  // namespace ba
