// SPDX-License-Identifier: Apache-2.0
// The rights that config/SECURITY.md lists are enough, and none is too much: what is left out is
// named with the statement that mends it.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "storage/control.hpp"
#include "storage/dead_letters.hpp"
#include "storage/ledger_use.hpp"
#include "storage/migrate.hpp"
#include "storage/query.hpp"
#include "tests/postgres/role_rig.hpp"
#include "tests/postgres/server_lab.hpp"

namespace ba {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Right {
  std::string role;
  std::string privileges;  ///< "SELECT, INSERT"
  std::string object;      ///< "ba.jobs, ba.outbox" or "SCHEMA ba"
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (auto end = text.find(separator); end != std::string::npos;
       begin = end + separator.size(), end = text.find(separator, begin))
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::string bare(std::string text) {
  std::erase(text, '`');
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// The rows of the section's table.
std::vector<Right> documented_rights() {
  std::ifstream file("config/SECURITY.md");
  std::vector<Right> rights;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) here = line == "## PostgreSQL ledger";
    if (!here || !line.starts_with("| `")) continue;
    const auto cells = split(line, "|");
    rights.push_back({bare(cells.at(1)), bare(cells.at(2)), bare(cells.at(3))});
  }
  return rights;
}

class RightsTest : public RoleTest {
 protected:
  RightsTest() {
    for (const char* role :
         {"ba_owner_t", "ba_worker_t", "ba_operator_t", "ba_console_t", "ba_reader_t"})
      lab_.role(role);
    lab_.database("rights");
    lab_.run("rights",
             "REVOKE ALL ON DATABASE rights FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC");
  }

  static std::string name_of(const std::string& role) { return "ba_" + role + "_t"; }

  static std::string sql(const char* verb, const Right& right) {
    std::string object = right.object;
    if (object == "DATABASE ba_agent") object = "DATABASE rights";
    return std::string(verb) + " " + right.privileges + " ON " + object +
           (std::string(verb) == "GRANT" ? " TO " : " FROM ") + name_of(right.role);
  }

  void grant_all() {
    const auto rights = documented_rights();
    ASSERT_GT(rights.size(), 8u) << "config/SECURITY.md has no table of rights";
    for (const Right& right : rights)
      if (right.object.starts_with("DATABASE")) lab_.run("rights", sql("GRANT", right));
    const auto done = migrate(access("owner"), false);
    ASSERT_TRUE(done) << done.error().message;
    for (const Right& right : rights)
      if (!right.object.starts_with("DATABASE")) lab_.run("rights", sql("GRANT", right));
  }

  storage::PgAccess access(const std::string& role) { return lab_.access("rights", name_of(role)); }

  std::vector<storage::Hindrance> hindrances() {
    const auto found = storage::ledger_hindrances(access("worker"));
    if (!found) return {{found.error().message, "", false}};
    return *found;
  }

  ServerLab lab_;
};

TEST_F(RightsTest, WhatTheDocumentGrantsIsEnoughForAJobAnOperatorAndAReader) {
  grant_all();
  EXPECT_THAT(hindrances(), IsEmpty());
  work_as(access("worker"));
  run_a_job("job-1");
  lab_.run("rights", "UPDATE ba.outbox SET batch = 1, published_at = now()");
  RetentionRules rules;
  rules.jobs = rules.outbox = rules.dead_letters = Milliseconds(0);
  const auto self = enter();
  for (int batch = 0; batch < 3; ++batch) {
    const auto removed = remove_batch(self, rules);
    EXPECT_TRUE(removed) << removed.error().message;
  }
  EXPECT_EQ(lab_.run("rights", "SELECT sum(jobs) FROM ba.removed_jobs"), "1");
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "job-2"}})));
  const auto cancelled = storage::control_job(
      access("operator"), {TenantId("acme"), JobId("job-2")}, JobAction::Cancel, "tester");
  EXPECT_TRUE(cancelled) << cancelled.error().message;
  for (const char* role : {"operator", "console", "reader"}) {
    const auto jobs = storage::list_jobs(access(role), {});
    ASSERT_TRUE(jobs) << role << jobs.error().message;
    EXPECT_THAT(*jobs, SizeIs(1));
    EXPECT_TRUE(storage::find_job(access(role), TenantId("acme"), JobId("job-2"))) << role;
    EXPECT_TRUE(storage::require_schema(access(role))) << role;
  }
}

TEST_F(RightsTest, AConsoleStepsInAndForksAndWritesNothingElse) {
  grant_all();
  work_as(access("worker"));
  run_a_job("job-1");
  ASSERT_TRUE(intake(enter(), batch_of({{.job_id = "job-2"}})));
  for (const JobAction action : {JobAction::Pause, JobAction::Resume, JobAction::Cancel}) {
    const auto done = storage::control_job(access("console"), {TenantId("acme"), JobId("job-2")},
                                           action, "tester");
    EXPECT_TRUE(done) << done.error().message;
  }
  storage::JobCopy fork;
  fork.source = {TenantId("acme"), JobId("job-1")};
  fork.job = batch_of({{.job_id = "job-3", .conversation = "other"}}).jobs[0];
  fork.from_round = 1;
  const auto rows = storage::copy_job(access("console"), fork);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rounds, 1);
  EXPECT_FALSE(storage::control_job(access("reader"), {TenantId("acme"), JobId("job-3")},
                                    JobAction::Cancel, "tester"));
  EXPECT_EQ(lab_.run("rights",
                     "SELECT count(*) FROM pg_tables t, unnest('{INSERT,UPDATE,DELETE}'::text[]) p "
                     "WHERE schemaname = 'ba' AND tablename IN ('outbox', 'outbox_shards', "
                     "'incarnations', 'artifacts', 'tool_results', 'dead_letters', 'metrics') "
                     "AND has_table_privilege('ba_console_t', 'ba.' || tablename, p)"),
            "0");
}

TEST_F(RightsTest, EachRightThatIsLeftOutIsNamedWithTheGrantThatMendsIt) {
  grant_all();
  int left_out = 0;
  for (const Right& right : documented_rights()) {
    if (right.role != "worker" || right.object.starts_with("DATABASE")) continue;
    for (const std::string& privilege : split(right.privileges, ", "))
      for (const std::string& object : split(right.object, ", ")) {
        const Right one{right.role, privilege, object};
        lab_.run("rights", sql("REVOKE", one));
        const auto found = hindrances();
        ASSERT_THAT(found, SizeIs(1)) << privilege << " on " << object;
        const std::string name = object.starts_with("SCHEMA") ? "the schema ba" : object;
        EXPECT_EQ(found[0].message, "role ba_worker_t lacks " + privilege + " on " + name);
        EXPECT_EQ(found[0].remedy, sql("GRANT", one));
        lab_.run("rights", found[0].remedy);
        ++left_out;
      }
  }
  EXPECT_GT(left_out, 90);
  EXPECT_THAT(hindrances(), IsEmpty());
}

TEST_F(RightsTest, ARoleThatMayOnlyReadIsToldAllThatItLacks) {
  grant_all();
  const auto found = storage::ledger_hindrances(access("reader"));
  ASSERT_TRUE(found);
  ASSERT_FALSE(found->empty());
  for (const storage::Hindrance& one : *found) lab_.run("rights", one.remedy);
  EXPECT_THAT(*storage::ledger_hindrances(access("reader")), IsEmpty());
}

TEST_F(RightsTest, AWorkerDoesNotBeginWithoutItsRights) {
  grant_all();
  lab_.run("rights", "REVOKE INSERT ON ba.artifacts FROM ba_worker_t");
  try {
    work_as(access("worker"));
    FAIL() << "it began";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "PostgreSQL: role ba_worker_t lacks INSERT on ba.artifacts: GRANT INSERT ON "
                 "ba.artifacts TO ba_worker_t");
  }
}

TEST_F(RightsTest, ALivingWorkersWatchSeesARightGoAndCome) {
  grant_all();
  storage::LedgerWatch watch(access("worker"), Milliseconds(20));
  const auto becomes = [&](const std::string& part) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (watch.hindrance().find(part) == std::string::npos ||
           (part.empty() && watch.hindrance() != ""))
      if (std::chrono::steady_clock::now() > end) return false;
    return true;
  };
  lab_.run("rights", "REVOKE DELETE ON ba.tool_results FROM ba_worker_t");
  EXPECT_TRUE(becomes("lacks DELETE on ba.tool_results: GRANT DELETE")) << watch.hindrance();
  lab_.run("rights", "GRANT DELETE ON ba.tool_results TO ba_worker_t");
  EXPECT_TRUE(becomes("")) << watch.hindrance();
}

TEST_F(RightsTest, AReadOnlyDatabaseIsToldWithWhereThatIsSet) {
  grant_all();
  for (const std::string where :
       {"ROLE ba_worker_t", "DATABASE rights", "ROLE ba_worker_t IN DATABASE rights"}) {
    lab_.run("postgres", "ALTER " + where + " SET default_transaction_read_only = on");
    const auto found = hindrances();
    ASSERT_THAT(found, SizeIs(1)) << where;
    EXPECT_THAT(found[0].message, HasSubstr("the database is read-only for role ba_worker_t"));
    EXPECT_EQ(found[0].remedy, "ALTER " + where + " RESET default_transaction_read_only");
    EXPECT_EQ(storage::require_use(access("worker")).error().retry, Retry::Later)
        << "it may be a time of upkeep";
    EXPECT_TRUE(storage::list_jobs(access("worker"), {})) << "reading goes on";
    lab_.run("postgres", found[0].remedy);
  }
  EXPECT_THAT(hindrances(), IsEmpty());
}

TEST_F(RightsTest, ASchemaOfAnotherIsToldToWhoMigrates) {
  lab_.run("rights", "GRANT CONNECT ON DATABASE rights TO ba_worker_t, ba_owner_t");
  const auto fresh = migrate(access("owner"), false);
  ASSERT_FALSE(fresh);
  EXPECT_EQ(fresh.error().code, ErrorCode::PermissionDenied);
  EXPECT_THAT(fresh.error().message, HasSubstr("GRANT CREATE ON DATABASE rights TO ba_owner_t"));
  lab_.run("rights", "CREATE SCHEMA ba AUTHORIZATION ba_owner_t");
  const auto other = migrate(access("worker"), false);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("GRANT USAGE ON SCHEMA ba TO ba_worker_t"));
  lab_.run("rights", "GRANT USAGE ON SCHEMA ba TO ba_worker_t");
  const auto usage = migrate(access("worker"), false);
  ASSERT_FALSE(usage);
  EXPECT_THAT(usage.error().message,
              HasSubstr("which belongs to ba_owner_t: migrate as ba_owner_t"));
  EXPECT_TRUE(migrate(access("owner"), false))
      << "an owner of the schema needs no right on the database";
}

TEST_F(RightsTest, AWorkersRoleThatIsMeantForReadersOfSomeTenantsIsTold) {
  grant_all();
  lab_.run("rights", "INSERT INTO ba.tenant_readers VALUES ('ba_worker_t', 'acme')");
  const auto found = hindrances();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].message, HasSubstr("sees the rows of some tenants only"));
}

}  // namespace
}  // namespace ba
