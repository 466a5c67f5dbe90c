// SPDX-License-Identifier: Apache-2.0
// Databases that won't do are refused by whoever comes; records that the database won't have are
// told apart from all else; a pooler is found out.
#include <cstdlib>

#include "pipeline/text/contract/dead_letter.hpp"
#include "storage/ledger_use.hpp"
#include "storage/migrate.hpp"
#include "storage/query.hpp"
#include "tests/postgres/role_rig.hpp"
#include "tests/postgres/server_lab.hpp"

namespace ba {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class FitnessTest : public RoleTest {
 protected:
  void migrated(const std::string& name) {
    lab_.database(name);
    const auto done = migrate(lab_.access(name), false);
    ASSERT_TRUE(done) << done.error().message;
    work_as(lab_.access(name));
  }

  ServerLab lab_;
};

TEST_F(FitnessTest, AnotherEncodingThanUtf8IsRefusedByWhoeverComes) {
  using Named = std::pair<std::string, std::string>;
  for (const auto& [name, encoding] :
       {Named{"latin", "LATIN1"}, Named{"ascii", "SQL_ASCII"}, Named{"kanji", "EUC_JP"}}) {
    const auto access = lab_.access(
        lab_.database(name, "ENCODING '" + encoding + "' LOCALE 'C' TEMPLATE template0"));
    const std::string wanted =
        "the database has the encoding " + encoding + ", the ledger needs UTF8";
    const auto migrated = migrate(access, false);
    ASSERT_FALSE(migrated);
    EXPECT_THAT(migrated.error().message, HasSubstr(wanted));
    EXPECT_THAT(storage::schema_status(access).error().message, HasSubstr(wanted));
    EXPECT_THAT(storage::ledger_hindrances(access).error().message, HasSubstr(wanted));
    EXPECT_THAT(storage::list_jobs(access, {}).error().message, HasSubstr(wanted));
    try {
      work_as(access);
      FAIL() << "it began";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(wanted));
    }
  }
}

/// Of the builds that are fetched none has lz4, Debian's has it.
TEST_F(FitnessTest, TheSchemaIsTheSameWithAndWithoutLz4) {
  migrated("compressed");
  const bool has = lab_.run("compressed",
                            "SELECT 'lz4' = ANY (enumvals) FROM pg_settings"
                            " WHERE name = 'default_toast_compression'") == "t";
  EXPECT_EQ(
      lab_.run("compressed", "SELECT count(*) > 10 FROM pg_attribute WHERE attcompression = 'l'"),
      has ? "t" : "f");
  EXPECT_TRUE(storage::schema_status(lab_.access("compressed"))->usable());
  run_a_job("job-1");
}

// Whatever the database has against a record: its owner's checks stand for what nobody thought of.
TEST_F(FitnessTest, WhatTheDatabaseRefusesOfARecordIsToldAsTheRecordsFault) {
  migrated("refusing");
  const auto self = enter();
  const std::string raise = "CREATE FUNCTION ba.no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ";
  const std::pair<std::string, std::string> refusals[] = {
      {"ALTER TABLE ba.jobs ADD CONSTRAINT no CHECK (job_id <> 'bad')", "23514"},
      {"CREATE UNIQUE INDEX no ON ba.jobs ((CASE WHEN job_id = 'bad' THEN 'good-0' ELSE job_id "
       "END))",
       "23505"},
      {raise + "IF new.job_id = 'bad' THEN RAISE 'not this one'; END IF; RETURN new; END $$",
       "P0001"},
      {raise + "IF new.job_id = 'bad' THEN PERFORM 'x'::integer; END IF; RETURN new; END $$",
       "22P02"},
      {raise + "IF new.job_id = 'bad' THEN PERFORM '2000000000'::integer * 2; END IF; RETURN new; "
               "END $$",
       "22003"},
      {raise + "IF new.job_id = 'bad' THEN PERFORM repeat('[', 1000000)::jsonb; END IF; RETURN "
               "new; END $$",
       "54001"},
      {raise +
           "IF new.job_id = 'bad' THEN PERFORM '\"\\u0000\"'::jsonb; END IF; RETURN new; END $$",
       "22P05"},
      {raise + "IF new.job_id = 'bad' THEN PERFORM 1 / 0; END IF; RETURN new; END $$", "22012"}};
  int number = 0;
  for (const auto& [refusal, state] : refusals) {
    lab_.run("refusing", refusal);
    if (refusal.starts_with("CREATE FUNCTION"))
      lab_.run("refusing",
               "CREATE TRIGGER no BEFORE INSERT ON ba.jobs FOR EACH ROW EXECUTE FUNCTION ba.no()");
    const std::string good = "good-" + std::to_string(number++);
    if (state == "23505") {
      ASSERT_TRUE(intake(self, batch_of({{.job_id = "good-0"}})));
    }
    const auto refused = intake(self, batch_of({{.job_id = good}, {.job_id = "bad"}}));
    ASSERT_FALSE(refused) << refusal;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument) << refusal;
    EXPECT_EQ(refused.error().retry, Retry::Never) << refusal;
    EXPECT_EQ(refused.error().detail, state);
    EXPECT_TRUE(intake(self, batch_of({{.job_id = good}})));
    lab_.run("refusing",
             "ALTER TABLE ba.jobs DROP CONSTRAINT IF EXISTS no; DROP INDEX IF EXISTS ba.no;"
             "DROP FUNCTION IF EXISTS ba.no CASCADE");
  }
}

TEST_F(FitnessTest, WhatIsNotTheRecordsFaultMakesNoneOfIt) {
  migrated("passing");
  const auto self = enter();
  lab_.run("passing", "ALTER TABLE ba.jobs RENAME COLUMN user_id TO gone");
  const auto failed = intake(self, batch_of({{.job_id = "good"}}));
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().code, ErrorCode::InvalidArgument)
      << "every record would be a dead letter";
  lab_.run("passing", "ALTER TABLE ba.jobs RENAME COLUMN gone TO user_id");
  EXPECT_TRUE(intake(self, batch_of({{.job_id = "good"}})));
}

TEST_F(FitnessTest, ConnectionsOfTheirOwnAreNoPooler) {
  migrated("direct");
  const auto own = storage::require_own_sessions(lab_.access("direct"));
  EXPECT_TRUE(own) << own.error().message;
}

/// BA_POOLER_URL is PgBouncer's before this server, pool_mode = transaction.
TEST_F(FitnessTest, APoolerInTransactionModeIsFoundOut) {
  migrated("pooled");
  const char* pooler = std::getenv("BA_POOLER_URL");
  ASSERT_NE(pooler, nullptr);
  storage::PgAccess access = lab_.access("pooled");
  for (const auto& [mode, fits] : {std::pair{"pooled", false}, {"pooled_by_session", true}}) {
    access.url = std::string(pooler) + "/" + mode;
    const auto own = storage::require_own_sessions(access);
    EXPECT_EQ(own.has_value(), fits) << mode << (own ? "" : own.error().message);
    if (!fits && !own) {
      EXPECT_THAT(own.error().message, HasSubstr("set pool_mode = session"));
    }
  }
  work_as(access);
  run_a_job("by-session");
  access.url = std::string(pooler) + "/pooled";
  EXPECT_THROW(work_as(access), std::runtime_error);
}

}  // namespace
}  // namespace ba
