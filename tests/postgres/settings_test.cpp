// SPDX-License-Identifier: Apache-2.0
// Roles and databases with settings of their own: what the program reads and writes is the same.
#include <nlohmann/json.hpp>

#include "storage/migrate.hpp"
#include "storage/postgres/session.hpp"
#include "storage/query.hpp"
#include "tests/postgres/role_rig.hpp"
#include "tests/postgres/server_lab.hpp"

namespace ba {

std::unique_ptr<LedgerRig> make_ledger_rig() { return nullptr; }  // each test makes its own

namespace {

constexpr const char* kSettings[] = {
    "default_transaction_isolation = 'serializable'",
    "default_transaction_isolation = 'repeatable read'",
    "default_transaction_deferrable = on",
    "DateStyle = 'German, DMY'",
    "DateStyle = 'SQL, MDY'",
    "DateStyle = 'Postgres, DMY'",
    "IntervalStyle = 'iso_8601'",
    "IntervalStyle = 'sql_standard'",
    "TimeZone = 'Asia/Kathmandu'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
    "search_path = 'nowhere'",
    "search_path = ''",
    "standard_conforming_strings = off",
    "lc_numeric = 'C.UTF-8'",
    "lc_time = 'C.UTF-8'",
    "lc_monetary = 'C.UTF-8'",
    "client_encoding = 'SQL_ASCII'",
    "client_encoding = 'LATIN1'",
    "client_min_messages = 'debug5'",
    "transform_null_equals = on",
    "array_nulls = off",
    "row_security = off",
    "quote_all_identifiers = on",
    "synchronous_commit = off",
    "plan_cache_mode = force_custom_plan",
    "enable_indexscan = off",
    "default_toast_compression = 'pglz'",
    "work_mem = '64kB'",
    "statement_timeout = '20s'",
    "idle_in_transaction_session_timeout = '3s'",
    "lock_timeout = '20s'",
};

class SettingsTest : public RoleTest {
 protected:
  SettingsTest() {
    lab_.role("matrix_owner");
    lab_.database("matrix", "OWNER matrix_owner");
    access_ = lab_.access("matrix", "matrix_owner");
  }

  void set(const std::string& what) { lab_.run("matrix", "ALTER ROLE matrix_owner " + what); }

  /// What people are told of a job, without what differs from job to job.
  std::string told(const std::string& id) {
    const auto job = storage::find_job(access_, TenantId("acme"), JobId(id));
    if (!job || !*job) return job ? "no job" : job.error().message;
    const storage::JobTimeline& all = **job;
    const auto age = std::chrono::system_clock::now() - all.job.received_at;
    nlohmann::json text{{"state", all.job.state},
                        {"outcome", all.job.outcome},
                        {"payload", all.payload.size() - id.size()},
                        {"result", all.result},
                        {"created", to_rfc3339(all.job.created_at)},
                        {"just_now", age > Milliseconds(-5000) && age < std::chrono::minutes(5)},
                        {"metrics", all.metrics_json},
                        {"cost", all.job.cost_micro_usd},
                        {"attempts", all.attempts.size()},
                        {"rounds", all.rounds.size()}};
    for (const storage::MessageView& message : all.messages)
      text["messages"].push_back(message.json);
    storage::JobFilter newest;
    newest.newer_than = std::chrono::minutes(5);
    const auto listed = storage::list_jobs(access_, newest);
    text["listed"] = listed && !listed->empty() && listed->front().job_id.value == id;
    return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  ServerLab lab_;
  storage::PgAccess access_;
};

TEST_F(SettingsTest, AJobRunsToItsEndAndIsToldTheSameWhateverTheRoleSets) {
  ASSERT_TRUE(migrate(access_, false));
  work_as(access_);
  run_a_job("reference");
  const std::string reference = told("reference");
  ASSERT_NE(reference.find("\"just_now\":true"), std::string::npos) << reference;
  ASSERT_NE(reference.find("\"listed\":true"), std::string::npos) << reference;
  int number = 0;
  for (const char* setting : kSettings) {
    SCOPED_TRACE(setting);
    set("RESET ALL");
    set(std::string("SET ") + setting);
    const std::string id = "job-" + std::to_string(number++);
    work_as(access_);
    run_a_job(id);
    std::string expected = reference;
    for (auto at = expected.find("reference"); at != std::string::npos;
         at = expected.find("reference", at))
      expected.replace(at, 9, id);
    EXPECT_EQ(told(id), expected);
    EXPECT_TRUE(storage::schema_status(access_)->usable());
  }
}

TEST_F(SettingsTest, MigrationsApplyWhateverTheRoleSets) {
  for (const char* setting : {"default_transaction_isolation = 'serializable'", "search_path = ''",
                              "standard_conforming_strings = off", "quote_all_identifiers = on",
                              "client_encoding = 'LATIN1'"}) {
    SCOPED_TRACE(setting);
    set("RESET ALL");
    set(std::string("SET ") + setting);
    const auto done = migrate(access_, false);
    ASSERT_TRUE(done) << done.error().message;
    lab_.run("matrix", "DROP SCHEMA ba CASCADE");
  }
}

TEST_F(SettingsTest, AStricterLimitOfTheRoleStaysAndALooserOneIsLowered) {
  const auto limit = [&](const std::string& name) {
    return storage::read_once(access_,
                              [&](storage::Transaction& transaction) -> Result<std::string> {
                                return transaction.execute("SHOW " + name).value();
                              });
  };
  for (const auto& [set_to, is] : {std::pair{"'2s'", "2s"}, {"'1h'", "30s"}, {"0", "30s"}}) {
    set(std::string("SET statement_timeout = ") + set_to);
    EXPECT_EQ(*limit("statement_timeout"), is);
    set(std::string("SET idle_in_transaction_session_timeout = ") + set_to);
    EXPECT_EQ(*limit("idle_in_transaction_session_timeout"), std::string(is) == "30s" ? "5s" : is);
  }
}

}  // namespace
}  // namespace ba
