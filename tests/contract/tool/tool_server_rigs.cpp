// SPDX-License-Identifier: Apache-2.0
// The tools that need PostgreSQL.
#include <cstdlib>
#include <stdexcept>

#include "tests/contract/tool/loop_tool_rig.hpp"
#include "tests/worker/tools/sql/write_database.hpp"
#include "worker/tools/sql/database_write.hpp"
#include "worker/tools/sql/query_database.hpp"

namespace ba {
namespace {

class ServerRig : public LoopToolRig {
 public:
  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"data_source":"source","sql":")" + sql(number) + R"("})";
    call.idempotency_key = "key-" + std::to_string(number);
    call.tenant = TenantId("acme");
    call.timeout = Milliseconds(20000);
    return call;
  }

 protected:
  virtual std::string sql(int number) const = 0;
};

class QueryRig final : public ServerRig {
 public:
  QueryRig() {
    const char* url = std::getenv("BA_ANALYTICS_URL");
    if (!url) throw std::runtime_error("BA_ANALYTICS_URL is not set: run it by ops/test");
    sql::DataSourceConfig source;
    source.name = "source";
    source.url = url;
    source.tables = "airlines(carrier text, name text)";
    tool_ = std::make_unique<sql::QueryDatabase>(std::vector{source}, executor_);
  }

  std::string data(int number) override { return R"([{"n":)" + std::to_string(number) + "}]"; }

 private:
  std::string sql(int number) const override {
    return "SELECT " + std::to_string(number) + " AS n";
  }
};

/// One for all tests: it takes long to make.
const sql::WriteDatabase& write_database() {
  static const sql::WriteDatabase one;
  return one;
}

class WriteRig final : public ServerRig {
 public:
  WriteRig() {
    sql::Person owner(write_database().owner_url());
    owner.run("DELETE FROM ba_effects; DROP TABLE IF EXISTS orders");
    owner.run("CREATE TABLE orders (id int PRIMARY KEY)");
    owner.run("GRANT SELECT, INSERT ON orders TO ba_reader");
    sql::WriteSourceConfig source;
    source.name = "source";
    source.url = write_database().writer_url();
    source.rules.tables = {"orders"};
    tool_ = std::make_unique<sql::DatabaseWrite>(std::vector{source}, executor_);
  }

  std::string data(int number) override {
    return R"({"success":true,"message":"1 row inserted into orders","rows_affected":1,)"
           R"("returned":{"rows":[{"id":)" +
           std::to_string(number) + "}]}}";
  }

 private:
  std::string sql(int number) const override {
    return "INSERT INTO orders VALUES (" + std::to_string(number) + ") RETURNING id";
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, ToolContract,
    testing::Values(ToolKind{"QueryDatabase", [] { return std::make_unique<QueryRig>(); }},
                    ToolKind{"DatabaseWrite", [] { return std::make_unique<WriteRig>(); }}),
    kind_name);

}  // namespace
}  // namespace ba
