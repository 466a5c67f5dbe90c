// SPDX-License-Identifier: Apache-2.0
// Limits of rows, bytes and time, and searches that nobody waits for any more.
#include "tests/worker/tools/vector/vector_server_fixture.hpp"

namespace ba::vector {
namespace {

using ::testing::HasSubstr;

class VectorLimitsOnServer : public VectorOnServer {
 protected:
  /// The rows take a minute to come.
  void make_slow() {
    add("a", "{1,0,0}");
    owner_.run(
        "CREATE VIEW slow AS SELECT tenant, id, text || pg_sleep(60)::text AS text, "
        "embedding FROM ba_passages; GRANT SELECT ON slow TO ba_reader");
    index().table = "slow";
    index().metadata_columns.clear();
  }
};

TEST_F(VectorLimitsOnServer, AnIndexWithMoreRowsThanMayBeComparedIsRefusedWhole) {
  index().rows_max = 3;
  for (const char* id : {"a", "b", "c"}) add(id, "{1,0,0}");
  for (const char* id : {"d", "e"}) add(id, "{1,0,0}", "globex");  // not read, so not counted
  EXPECT_EQ(ids("1 0 0"), "a b c");
  add("z", "{-1,0,0}");
  const ToolError error = error_of(search("1 0 0", {{"limit", 1}}));
  EXPECT_EQ(error.type, ToolErrorType::DependencyError);
  EXPECT_EQ(error.code, "INDEX_TOO_LARGE");
  EXPECT_THAT(error.message, HasSubstr("'passages'"));
  EXPECT_THAT(error.message, HasSubstr("(rows_max: 3), and none of it was searched"));
  EXPECT_THAT(error.message, HasSubstr("raise rows_max"));
  EXPECT_THAT(error.message, HasSubstr("'embedding' one of pgvector's type vector"));
}

TEST_F(VectorLimitsOnServer, AnIndexWithMoreBytesThanMayBeReadIsRefusedWhole) {
  add("a", "{1,0,0}");  // id 1, text 9, embedding 7, metadata 2
  index().read_bytes_max = 19;
  EXPECT_EQ(ids("1 0 0"), "a");
  tool_.reset();
  index().read_bytes_max = 18;
  const ToolError error = error_of(search("1 0 0"));
  EXPECT_EQ(error.code, "INDEX_TOO_LARGE");
  EXPECT_THAT(error.message, HasSubstr("(read_bytes_max: 18)"));
  index().read_bytes_max = 1000;
  tool_.reset();
  EXPECT_EQ(ids("1 0 0"), "a");
}

TEST_F(VectorLimitsOnServer, TextsAreCutAndResultsThatDoNotFitAreToldOf) {
  for (const char* id : {"a", "b", "c"}) add(id, "{1,0,0}");
  owner_.run("UPDATE ba_passages SET text = repeat('ä', 5000)");
  index().text_chars_max = 400;
  EXPECT_THAT(found("1 0 0"), HasSubstr("\"text\":\"ä"));
  const Json first = Json::parse(found("1 0 0")).at(0);
  EXPECT_EQ(first.at("text").get<std::string>().size(), 2 * 400 + std::string("…").size());
  source_.result_bytes_max = 2000;  // two of them
  tool_.reset();
  const RawToolResult cut = search("1 0 0");
  EXPECT_EQ(Json::parse(cut.data).size(), 2u);
  EXPECT_THAT(cut.note, HasSubstr("The last 1 results are left out"));
}

TEST_F(VectorLimitsOnServer, ARowThatIsTooLargeForAnyResultIsNamed) {
  add("a", "{1,0,0}");
  owner_.run("UPDATE ba_passages SET metadata = to_jsonb(repeat('x', 5000))");
  source_.result_bytes_max = 2000;
  const ToolError error = error_of(search("1 0 0"));
  EXPECT_EQ(error.code, "INDEX_MISCONFIGURED");
  EXPECT_THAT(error.message, HasSubstr("more than 2000 bytes (result_bytes_max of 'kb')"));
  owner_.run("UPDATE ba_passages SET metadata = to_jsonb(repeat('x', 5000000))");
  EXPECT_EQ(error_of(search("1 0 0")).code, "INDEX_MISCONFIGURED");  // before it has arrived
  owner_.run("UPDATE ba_passages SET metadata = '{}'");
  EXPECT_EQ(ids("1 0 0"), "a");
}

TEST_F(VectorLimitsOnServer, ADestroyedRunEndsItsStatementOnTheServer) {
  make_slow();
  auto run = start("1 0 0");
  ASSERT_TRUE(until([&] { return states() == "active"; }));
  run.reset();
  EXPECT_TRUE(until([&] { return states() == ""; }));
  EXPECT_FALSE(result_);
}

TEST_F(VectorLimitsOnServer, ATimeoutOfTheCallEndsItsStatementOnTheServer) {
  make_slow();
  timeout_ = Milliseconds(5000);
  const auto run = start("1 0 0");
  ASSERT_TRUE(until([&] { return states() == "active"; }));
  ASSERT_TRUE(loop_.run_until([&] { return result_.has_value(); }));
  EXPECT_EQ(error_of(*result_).type, ToolErrorType::Timeout);
  EXPECT_THAT(error_of(*result_).message, HasSubstr("5000ms"));
  EXPECT_TRUE(until([&] { return states() == ""; }));
}

TEST_F(VectorLimitsOnServer, TheStatementTimeoutOfTheDataSourceHolds) {
  make_slow();
  source_.statement_timeout = Milliseconds(1000);
  const ToolError error = error_of(search("1 0 0"));
  EXPECT_EQ(error.type, ToolErrorType::Timeout);
  EXPECT_THAT(error.message, HasSubstr("1000ms"));
}

TEST_F(VectorLimitsOnServer, AConnectionThatWasCutIsMadeAnew) {
  add("a", "{1,0,0}");
  EXPECT_EQ(ids("1 0 0"), "a");
  source_.pool_size = 1;
  tool_.reset();
  EXPECT_EQ(ids("1 0 0"), "a");
  ASSERT_TRUE(until([&] { return states() == "idle"; }));
  reader_->run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = current_user "
      "AND datname = current_database() AND pid <> pg_backend_pid()");
  ASSERT_EQ(states(), "");
  EXPECT_EQ(ids("1 0 0"), "a");
}

}  // namespace
}  // namespace ba::vector
