// SPDX-License-Identifier: Apache-2.0
// Nothing that the guards allow does more than it says: all that the catalog has, and some
// thousands by chance, the same each time. `ops/hunt` goes on.
#include <gtest/gtest.h>

#include <iostream>
#include <utility>

#include "tests/worker/tools/sql/hunt/hunt.hpp"
#include "tests/worker/tools/sql/hunt/stage.hpp"
#include "tests/worker/tools/sql/hunt/statement_file.hpp"

namespace ba::hunt {
namespace {

constexpr std::uint64_t kSeed = 20130101;
constexpr std::uint64_t kComposed = 1500;  ///< by chance, behind all that the catalog has

TEST(Hunt, FindsNothingThatTheGuardsAllowAndThatDoesMoreThanItSays) {
  HuntOptions options;
  options.seed = kSeed;
  options.statements = 1'000'000;  // `enough` ends it: how many the catalog has is known then
  std::uint64_t tried = 0;
  std::uint64_t all = 0;
  options.progress = [&tried](const Counts& counts) { tried = counts.generated; };
  options.enough = [&] { return tried >= all + kComposed; };
  Hunt hunt(stage(), options);
  all = hunt.exhaustive();
  const Counts counts = hunt.run();
  EXPECT_GE(counts.generated, all + kComposed) << "it ended early";
  for (const std::string& one : counts.violations) ADD_FAILURE() << one;
  EXPECT_GT(counts.accepted * 10, counts.generated * 4) << "most of them prove nothing";
  EXPECT_GT(counts.allowed * 50, counts.accepted) << "a judge that refuses all proves nothing";
  std::cout << counts.generated << " generated, " << counts.accepted << " accepted, "
            << counts.allowed << " allowed, " << counts.refused << " refused, "
            << counts.violations.size() << " violations\n";
}

/// Of the kinds that there are, one each; a judge that lets them through would be found out.
TEST(Observer, NoticesWhatARollbackLeavesAndWhatIsTold) {
  Observer observer(stage(), Stage::kAttacks);
  for (const char* sql :
       {"SELECT (42::bigint).pg_advisory_lock",
        "SELECT hold(5)",
        "SELECT ('counter'::regclass).nextval",
        "SELECT (0::oid).lo_create",
        "SELECT set_config('work_mem', '1MB', false)",
        "SELECT touch('x')",
        "SELECT hold_by_step(n) FROM codes",
        "SELECT 1 FROM planned_index",
        "SELECT 5::watched",
        "SELECT pg_create_physical_replication_slot('s', true)",
        "SELECT pg_replication_origin_create('o')",
        "SELECT dblink_exec('dbname=' || current_database()"
        " || ' user=admin host=' || split_part(current_setting('unix_socket_directories'), ',', 1),"
        " 'INSERT INTO touched VALUES (1)')",
        "SELECT query FROM pg_stat_activity",
        "SELECT ((NULL::int).pg_stat_get_activity).query",
        "SELECT query FROM pg_stat_statements",
        "SELECT current_setting('hunt.secret')",
        "SELECT pg_read_file('canary.txt')",
        "SELECT line FROM program",
        "SELECT shobj_description(oid, 'pg_authid') FROM pg_roles",
        "SELECT rolpassword FROM pg_authid",
        "SELECT * FROM airlines FOR UPDATE",
        "CREATE TEMPORARY TABLE t (a int)",
        "SELECT pg_reload_conf()",
        "SELECT pg_stat_reset()",
        "EXPLAIN (ANALYZE, TIMING false, SUMMARY false) SELECT 1 FROM kept_apart WHERE owner <> "
        "'x'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
        "'victim'"}) {
    const Observer::Traces before = observer.look();
    std::string seen = observer.run(sql, false).value_or("");
    const std::string locks = observer.look()["locks"];
    const std::string sessions = observer.renew();
    Observer::Traces after = observer.look();
    after["locks"] = locks;
    EXPECT_FALSE((seen + sessions + Observer::difference(before, after)).empty()) << sql;
  }
}

TEST(Observer, IsQuietAboutWhatAnalystsWrite) {
  Observer observer(stage(), Stage::kAnalysts);
  for (const auto& [file, writes] :
       {std::pair("analyst_statements.txt", false), std::pair("analyst_writes.txt", true)}) {
    const Observer::Traces before = observer.look();
    for (const MarkedStatement& one : statements_in(file))
      EXPECT_EQ(observer.run(one.sql, writes).value_or(""), "") << one.sql;
    EXPECT_EQ(observer.renew(), "") << file;
    const std::string left = Observer::difference(before, observer.look());
    EXPECT_EQ(left, "") << file;
  }
}

}  // namespace
}  // namespace ba::hunt
