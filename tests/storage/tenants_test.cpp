// SPDX-License-Identifier: Apache-2.0
// What the database itself does to keep tenants apart: constraints, and row-level security for
// roles that read for some tenants only.
#include <sstream>

#include "storage/control.hpp"
#include "storage/query.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

/// The role that the test cluster has for this (ops/data/roles.sql).
constexpr const char* kReader = "ba_tenant_reader";
/// Which is a member of this one.
constexpr const char* kGroup = "ba_tenant_readers";

/// What concerns every tenant and holds no word of any.
constexpr const char* kOfNobody =
    "'incarnations', 'incarnation_marks', 'intake_offsets', 'intake_resets', 'outbox_shards', "
    "'schema_history'";

class Tenants : public StorageTest {
 protected:
  /// One finished job of each tenant, in conversations of one name, with a row in every table.
  void SetUp() override {
    const auto self = enter();
    const auto jobs =
        intake(self,
               batch_of({{.job_id = "a", .conversation = "talk"},
                         {.job_id = "a", .tenant = "globex", .conversation = "talk"}}),
               10);
    ASSERT_TRUE(jobs);
    for (const ClaimedJob& job : jobs->jobs) {
      ASSERT_TRUE(append(self, round_opened(job)));
      ASSERT_TRUE(append(self, step_replied(job)));
      ASSERT_TRUE(append(self, call_finished(job)));
      Delta lost = delta_for(job);
      lost.wasted_model_calls = 1;
      ASSERT_TRUE(append(self, lost));
      ASSERT_TRUE(append(self, finished(job, job.payload)));
    }
    IntakeBatch batch;
    batch.dead_letters = {dead_letter(7)};
    ASSERT_TRUE(intake(self, batch));
    schema().execute(
        "INSERT INTO inherited_messages SELECT id, 0, '{}' FROM conversations;"
        "INSERT INTO redrives (job, new_tenant, new_job_id, edited, redriven_by)"
        " SELECT id, tenant, 'b', false, 'somebody' FROM jobs;"
        "INSERT INTO tool_results (key, tenant, tool, tool_version, caller, data_source, data,"
        " data_bytes, job, round, step, idx, expires_at)"
        " SELECT 'k' || id, tenant, 't', '1', '', '', '1', 1, id, 0, 1, 0, now() FROM jobs;"
        "INSERT INTO tool_flights VALUES ('k', 1, now());"
        "INSERT INTO artifacts (tenant, id, data, data_bytes) SELECT tenant, 'a', '1', 1 FROM jobs;"
        "INSERT INTO artifact_uploads (id, tenant) SELECT 'u' || id, tenant FROM jobs;"
        "INSERT INTO artifact_chunks (upload, idx, tenant, first_item, items, data, sha256,"
        " data_bytes) SELECT 'u' || id, 0, tenant, 0, 1, '1', '', 1 FROM jobs;"
        "INSERT INTO artifact_references (tenant, artifact, conversation, job, round, step, idx)"
        " SELECT tenant, 'a', conversation, id, 0, 1, 0 FROM jobs;"
        "INSERT INTO removed_jobs SELECT tenant, '2026-01-01', 'failed', 1, 0, 0, 0, 0, 0, 0, 0, 0,"
        " 0 FROM jobs;"
        "INSERT INTO removed_replies SELECT tenant, '2026-01-01', 'p', 'm', 1, 0, 0, 0, 0, 0, 0, 0,"
        " 0 FROM jobs;"
        "INSERT INTO removed_calls SELECT tenant, '2026-01-01', 't', 1, 1, 1, 0, 0, 1, 0 FROM"
        " jobs");
    schema().execute("GRANT USAGE ON SCHEMA " + schema().access().schema + " TO " + kReader +
                     "; GRANT SELECT ON ALL TABLES IN SCHEMA " + schema().access().schema + " TO " +
                     kReader);
  }

  void may_read(const std::string& tenant, const std::string& role = kReader) {
    schema().execute("INSERT INTO tenant_readers VALUES ('" + role + "', '" + tenant + "')");
  }

  /// As the reader sees it, in one transaction.
  std::string read(const std::string& sql) {
    schema().execute("SET ROLE " + std::string(kReader));
    std::string answer = schema().query(sql);
    schema().execute("RESET ROLE");
    return answer;
  }

  std::vector<std::string> tables() {
    const std::string names = schema().query(
        "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables"
        " WHERE schemaname = current_schema() AND tablename NOT IN (" +
        std::string(kOfNobody) + ")");
    std::vector<std::string> all;
    std::istringstream words(names);
    for (std::string name; words >> name;) all.push_back(name);
    return all;
  }

  std::string count(const std::string& table) { return "SELECT count(*) FROM " + table; }
};

TEST_F(Tenants, AJobCannotMoveIntoAConversationOfAnotherTenant) {
  schema().execute(R"sql(
    DO $$ BEGIN
      UPDATE jobs SET conversation = (SELECT id FROM conversations WHERE tenant = 'globex')
      WHERE tenant = 'acme';
      RAISE 'not refused';
    EXCEPTION WHEN foreign_key_violation THEN NULL;
    END $$)sql");
}

TEST_F(Tenants, ARoleThatIsNotListedReadsWhatItWasGranted) {
  EXPECT_EQ(read(count("jobs")), "2");
  EXPECT_EQ(read(count("messages")), "8");
}

/// What neither job of the fixture has, one row for each of them.
constexpr const char* kContextAndSkills = R"sql(
  INSERT INTO compressions SELECT id, 0, 1, 'extract', 'r', 9, 3, 900, 300, NULL FROM jobs;
  INSERT INTO refused_contexts (job, round, step, refusal, conversation, model, window_tokens, tokens, of_window)
    SELECT id, 0, 1, 1, conversation, 'main', 500, 900, 1000 FROM jobs;
  INSERT INTO exact_counts SELECT id, 0, 1, 0, 'main', 900, 850, 880 FROM jobs;
  INSERT INTO compressed_histories SELECT id, 0, conversation, 1, 10, '["m"]' FROM jobs;
  INSERT INTO reminders SELECT id, 0, 5, 1000000, '{}' FROM jobs;
  INSERT INTO summaries (job, round, step, conversation, round_id, content_hash, state)
    SELECT id, 0, 1, conversation, 'r', 'h', 'writing' FROM jobs;
  INSERT INTO skill_contents VALUES ('h', 'content');
  INSERT INTO skill_uses SELECT id, 0, 1, 1, 'a', 's', 'h', 1, NULL FROM jobs;
  INSERT INTO injected_messages SELECT id, 0, 1, 2, '{}' FROM jobs)sql";

TEST_F(Tenants, AReaderOfOneTenantSeesHalfOfEveryTableAndNothingOfWhatIsMixed) {
  may_read("acme");
  schema().execute(kContextAndSkills);
  ASSERT_FALSE(tables().empty());
  for (const std::string& table : tables()) {
    const bool mixed = table == "outbox" || table == "dead_letters" || table == "redrives" ||
                       table == "tool_flights" || table == "skill_contents" ||
                       table == "installation";
    const int all = std::stoi(schema().query(count(table)));
    EXPECT_GT(all, 0) << table << ": the test writes a row to every table";
    const bool own = table == "tenant_readers";  // the one row there is
    EXPECT_EQ(std::stoi(read(count(table))), own ? all : (mixed ? 0 : all / 2)) << table;
  }
  EXPECT_EQ(read("SELECT string_agg(DISTINCT tenant, ' ') FROM jobs"), "acme");
  EXPECT_EQ(read("SELECT string_agg(tenant, ' ') FROM token_estimates"), "acme");
  EXPECT_EQ(read(count("messages")), "6");
  for (const char* view : {"job_days", "model_days", "tool_days", "tenant_totals"})
    EXPECT_EQ(read("SELECT string_agg(DISTINCT tenant, ' ') FROM " + std::string(view)), "acme")
        << view;
  EXPECT_EQ(read("SELECT total_conversations FROM global_totals"), "1");
}

TEST_F(Tenants, AReaderIsToldOfNoTenantButItsOwn) {
  PgAccess reader = schema().access();
  reader.url += reader.url.find('?') == std::string::npos ? "?" : "&";
  reader.url += "options=-c%20role%3D" + std::string(kReader);
  const auto elsewhere = [&](const char* tenant) {
    const auto rows = list_jobs(reader, {});
    EXPECT_TRUE(rows) << rows.error().message;
    return job_elsewhere(reader, {TenantId(tenant), JobId("a")});
  };
  may_read("nobody");
  EXPECT_EQ(elsewhere("other"), "");
  may_read("globex");
  EXPECT_EQ(elsewhere("other"), "tenant \"globex\" has a job of that id: --tenant globex");
  may_read("acme");
  EXPECT_EQ(elsewhere("other"),
            "tenants \"acme\", \"globex\" have a job of that id: say whose with --tenant");
}

TEST_F(Tenants, TheMembersOfAListedRoleReadNoMoreThanItDoes) {
  may_read("acme", kGroup);
  EXPECT_EQ(read(count("jobs")), "1");
  may_read("globex");
  EXPECT_EQ(read(count("jobs")), "2") << "its own and the group's";
}

TEST_F(Tenants, ARoleIsToldItsOwnTenantsAndNobodyElses) {
  may_read("acme");
  schema().execute("INSERT INTO tenant_readers VALUES ('" + schema().query("SELECT current_user") +
                   "', 'globex')");
  EXPECT_EQ(read("SELECT array_to_string(tenants_read_by(current_user), ' ')"), "acme");
  for (const std::string& other :
       {schema().query("SELECT current_user"), std::string("postgres"), std::string(kGroup)})
    EXPECT_EQ(read("SELECT coalesce(array_to_string(tenants_read_by('" + other + "'), ' '), '-')")
                  .find("globex"),
              std::string::npos)
        << other;
  EXPECT_EQ(read("SELECT string_agg(tenant, ' ') FROM tenant_readers"), "acme");
}

TEST_F(Tenants, ARoleThatThereIsNotStopsNobody) {
  may_read("acme", "nobody_of_this_name");
  EXPECT_EQ(read(count("jobs")), "2");
}

TEST_F(Tenants, AReaderMayHaveSeveralTenantsOrOneThatThereIsNot) {
  may_read("nobody");
  EXPECT_EQ(read(count("jobs")), "0");
  may_read("acme");
  may_read("globex");
  EXPECT_EQ(read(count("jobs")), "2");
}

}  // namespace
}  // namespace ba::storage
