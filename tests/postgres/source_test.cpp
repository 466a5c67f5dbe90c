// SPDX-License-Identifier: Apache-2.0
// Data sources on servers of each version, straight and behind PgBouncer in transaction mode
// (BA_POOLER_URL): the same answers, the same refusals, and nothing left on a connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include "storage/postgres/rows.hpp"

#include "tests/postgres/server_lab.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/read_only_session.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"
#include "worker/tools/sql/write_session.hpp"
#include "worker/tools/vector/vector_session.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

constexpr Milliseconds kTimeout{20000};
constexpr const char* kDatabase = "sourced";

constexpr const char* kTables = R"(
CREATE TABLE orders (id int PRIMARY KEY, tenant text NOT NULL, state text DEFAULT 'new');
INSERT INTO orders VALUES (1, 'acme'), (2, 'beta');
CREATE TABLE lines (order_id int REFERENCES orders ON DELETE CASCADE);
INSERT INTO lines VALUES (1), (1);
CREATE TABLE trail (what text);
CREATE FUNCTION leave_trail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
  'BEGIN INSERT INTO public.trail VALUES (TG_OP); RETURN NULL; END';
CREATE TABLE watched (id int);
CREATE TRIGGER leave_trail AFTER INSERT ON watched FOR EACH ROW EXECUTE FUNCTION leave_trail();
CREATE FUNCTION write_trail(int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  'BEGIN INSERT INTO public.trail VALUES (''called''); RETURN $1; END';
CREATE FUNCTION fiscal_year(date) RETURNS int LANGUAGE plpgsql STABLE AS
  'BEGIN RETURN extract(year FROM $1 + 92)::int; END';
CREATE TABLE public.ba_effects (key text PRIMARY KEY, tenant text NOT NULL, statement text NOT NULL,
  answer text, done_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE passages (id int, text text, tenant varchar, embedding real[]);
INSERT INTO passages VALUES (1, 'a', 'acme', '{1,0}'), (2, 'b', 'beta', '{1,0}');
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO source_user;
GRANT SELECT ON orders TO source_acme;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybodys ON orders TO source_user USING (coalesce(
  current_setting('app.tenant', true), '') IN ('', tenant));
CREATE POLICY acmes ON orders TO source_acme USING (tenant = 'acme'))";

constexpr const char* kParcels = R"(
CREATE TABLE parcels (id int, region text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE parcels_north PARTITION OF parcels FOR VALUES IN ('north');
CREATE TABLE parcels_south PARTITION OF parcels FOR VALUES IN ('south');
CREATE TABLE stops (parcel int, region text,
  FOREIGN KEY (parcel, region) REFERENCES parcels ON DELETE CASCADE);
INSERT INTO parcels VALUES (1, 'north'), (2, 'north');
INSERT INTO stops VALUES (1, 'north');
GRANT SELECT, INSERT, UPDATE, DELETE ON parcels TO source_user)";

/// Through PgBouncer, or not.
class SourceTest : public testing::TestWithParam<bool> {
 protected:
  SourceTest() {
    lab_.role("source_user", "NOINHERIT");  // what its tenants' roles may is theirs alone
    lab_.role("source_acme");
    lab_.database(kDatabase);
    lab_.run("postgres", "GRANT source_acme TO source_user");
    lab_.run(kDatabase, kTables);
    reads_.url = writes_.url = url();
    reads_.name = writes_.name = "shop";
    writes_.rules.tables = {"orders", "watched"};
  }

  std::string url() const {
    if (!GetParam()) return lab_.access(kDatabase, "source_user").url;
    const char* pooler = std::getenv("BA_POOLER_URL");
    if (!pooler) throw std::runtime_error("BA_POOLER_URL is not set: tests/postgres/run");
    return std::string(pooler) + "/source";
  }

  /// The rows, or the refusal.
  std::string read(const std::string& sql, const std::string& tenant = "") {
    if (!reader_) reader_ = std::make_unique<sql::ReadOnlySession>(reads_);
    const Result<sql::GuardedSql> guarded = sql::guard(sql);
    if (!guarded) return guarded.error().message;
    const RawToolResult result = reader_->run(*guarded, tenant, 100, kTimeout, never_);
    reader_->clean_up();
    last_may_be_kept_ = !result.not_cacheable;
    return result.error ? result.error->message : result.data;
  }

  /// What is nearest to (1, 0) of the tenant's.
  std::string search(const std::string& tenant) {
    vector::VectorSession session(reads_);
    vector::VectorOrder order;
    order.index.name = "passages";
    order.index.table = "passages";
    order.index.tenant_column = "tenant";
    order.tenant = tenant;
    order.embedding = {1.0, 0.0};
    const RawToolResult result = session.search(order, kTimeout, never_);
    session.clean_up();
    return result.error ? result.error->message : result.data;
  }

  std::string write(const std::string& sql, const std::string& key) {
    if (!writer_) writer_ = std::make_unique<sql::WriteSession>(writes_);
    const Result<sql::GuardedWrite> guarded = sql::guard_write(sql, writes_.rules);
    if (!guarded) return guarded.error().message;
    const RawToolResult result = writer_->run({*guarded, key, "acme", kTimeout}, never_);
    writer_->clean_up();
    return result.error ? result.error->message : result.data;
  }

  /// What another client of the pool finds, on the connections that were used last.
  std::string as_other_client(const std::string& sql) const {
    return storage::Rows("plain", storage::Connection(url()).execute(sql)).value();
  }

  /// What doctor says of the source's tenants.
  std::string told_of_roles() const {
    const auto facts = sql::inspect(reads_);
    if (!facts) return facts.error().message;
    std::string told;
    for (const std::string& line : sql::findings_about(*facts))
      if (line.find("source_acme") != std::string::npos) told += line + "\n";
    return told;
  }

  /// What doctor says that the login role may and need not.
  std::string told() const {
    const auto facts = sql::inspect(reads_);
    return facts ? testing::PrintToString(facts->excess_rights) : facts.error().message;
  }

  std::string trail() { return lab_.run(kDatabase, "SELECT count(*) FROM trail"); }

  const tools::Cancellation never_;
  ServerLab lab_;
  sql::DataSourceConfig reads_;
  sql::WriteSourceConfig writes_;
  bool last_may_be_kept_ = false;  ///< the result of read(), as far as the session says
  std::unique_ptr<sql::ReadOnlySession> reader_;
  std::unique_ptr<sql::WriteSession> writer_;
};

TEST_P(SourceTest, GivesTheSameAnswersAgainAndAgain) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(read("SELECT id, state FROM orders ORDER BY id"),
              R"([{"id":1,"state":"new"},{"id":2,"state":"new"}])");
    EXPECT_EQ(read("SELECT count(*) AS n FROM lines JOIN orders ON id = order_id"), R"([{"n":2}])");
    EXPECT_THAT(read("SELECT nothing FROM orders"), HasSubstr("nothing"));
  }
}

TEST_P(SourceTest, RefusesWhatRunsWithoutBeingCalled) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(read("SELECT (o.id).write_trail FROM orders o"), HasSubstr("write_trail"));
    EXPECT_THAT(read("SELECT ((NULL::int).pg_stat_get_activity).query"),
                HasSubstr("pg_stat_get_activity"));
    EXPECT_THAT(
        write("UPDATE orders SET state = (id).write_trail WHERE id = 1", "w" + std::to_string(i)),
        HasSubstr("write_trail"));
  }
  EXPECT_EQ(trail(), "0");
}

TEST_P(SourceTest, AFunctionThatIsVouchedForMayBeCalled) {
  const std::string year = "SELECT fiscal_year(DATE '2026-10-01') AS year";
  EXPECT_THAT(read(year), HasSubstr("fiscal_year"));
  reader_.reset();
  reads_.functions = {"public.fiscal_year"};
  EXPECT_EQ(read(year), R"([{"year":2027}])");
  EXPECT_THAT(read("SELECT write_trail(1)"), HasSubstr("write_trail"));
}

TEST_P(SourceTest, ATriggerWritesElsewhereOnlyWhereItIsVouchedFor) {
  EXPECT_THAT(write("INSERT INTO watched VALUES (1)", "one"), HasSubstr("leave_trail"));
  EXPECT_EQ(trail(), "0");
  writer_.reset();
  writes_.functions = {"public.leave_trail"};
  EXPECT_THAT(write("INSERT INTO watched VALUES (1)", "two"), HasSubstr("1 row inserted"));
  EXPECT_EQ(trail(), "1");
}

TEST_P(SourceTest, ACascadeReachesOnlyWhatAlsoChanges) {
  EXPECT_THAT(write("DELETE FROM orders WHERE id = 1", "one"), HasSubstr("lines"));
  EXPECT_EQ(lab_.run(kDatabase, "SELECT count(*) FROM lines"), "2");
  writer_.reset();
  writes_.also_changes = {"lines"};
  EXPECT_THAT(write("DELETE FROM orders WHERE id = 1", "two"), HasSubstr("1 row deleted"));
  EXPECT_EQ(lab_.run(kDatabase, "SELECT count(*) FROM lines"), "0");
}

/// Before 15, a row that an UPDATE moves to another partition is deleted where it was, with what
/// refers to it; since then it is one that changes.
TEST_P(SourceTest, ACascadeOfAMovedRowIsRefusedOnServersThatHaveIt) {
  lab_.run(kDatabase, kParcels);
  writes_.rules.tables = {"parcels"};
  const bool cascades = std::stoi(lab_.run(kDatabase, "SHOW server_version_num")) < 150000;
  const std::string refusal = "would also change public.stops";
  const std::string move = "UPDATE parcels SET region = 'south' WHERE id = ";
  EXPECT_THAT(write(move + "2", "two"), HasSubstr(cascades ? refusal : "1 row updated"));
  EXPECT_THAT(write(move + "1", "one"), HasSubstr(cascades ? refusal : "violates foreign key"));
  EXPECT_EQ(lab_.run(kDatabase, "SELECT count(*) FROM stops"), "1");
  if (!cascades) return;
  writer_.reset();
  writes_.also_changes = {"stops"};
  EXPECT_THAT(write(move + "1", "again"), HasSubstr("1 row updated"));
  EXPECT_EQ(lab_.run(kDatabase, "SELECT count(*) FROM stops"), "0") << "what was refused";
}

TEST_P(SourceTest, AWriteHappensOnceForAKey) {
  const std::string added = write("INSERT INTO orders VALUES (3, 'acme')", "one");
  EXPECT_THAT(added, HasSubstr("1 row inserted"));
  EXPECT_EQ(write("INSERT INTO orders VALUES (3, 'acme')", "one"), added);
  EXPECT_EQ(lab_.run(kDatabase, "SELECT count(*) FROM orders"), "3");
}

/// The text of an array is read when the statement is analysed, and its elements' checks run then.
TEST_P(SourceTest, WhatRunsWhileAWriteIsAnalysedCanNotWrite) {
  EXPECT_THAT(write("INSERT INTO orders VALUES (3, 'acme')", "one"), HasSubstr("1 row inserted"));
  lab_.run(kDatabase, "CREATE DOMAIN made_later AS int CHECK (write_trail(VALUE) > 0)");
  EXPECT_THAT(
      write("UPDATE orders SET state = 'x' WHERE id = 1 AND '{5}'::made_later[] IS NOT NULL",
            "two"),
      HasSubstr("read-only"));
  EXPECT_EQ(trail(), "0");
}

/// Nobody puts a trigger on it between the verdict and the write.
TEST_P(SourceTest, AWritesTableIsLockedBeforeAnythingIsAskedOfIt) {
  lab_.run(kDatabase,
           "CREATE FUNCTION notes_lock() RETURNS boolean LANGUAGE plpgsql STABLE AS 'BEGIN"
           " IF NOT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND mode ="
           " ''RowExclusiveLock'' AND relation = ''public.orders''::regclass)"
           " THEN PERFORM pg_advisory_lock(77); END IF; RETURN true; END'");
  writes_.functions = {"public.notes_lock"};
  EXPECT_THAT(write("UPDATE orders SET state = 'x' WHERE id = 1 AND notes_lock()", "one"),
              HasSubstr("1 row updated"));
  EXPECT_EQ(lab_.run(kDatabase, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
}

TEST_P(SourceTest, AWriteNeedsNoMoreRightsThanItsColumns) {
  lab_.run(kDatabase,
           "REVOKE INSERT, UPDATE, DELETE ON orders FROM source_user;"
           "GRANT UPDATE (state) ON orders TO source_user");
  EXPECT_THAT(write("UPDATE orders SET state = 'x' WHERE id = 1", "one"),
              HasSubstr("1 row updated"));
}

/// A verdict is remembered; what comes to stand behind a type or a part, the server doesn't tell.
TEST_P(SourceTest, WhatComesToStandBehindAStatementIsJudged) {
  lab_.run(kDatabase,
           "CREATE DOMAIN plain AS int; CREATE TABLE parent (id int);"
           "CREATE TABLE heir () INHERITS (parent); GRANT SELECT ON parent TO source_user;"
           "CREATE FUNCTION said_immutable(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS"
           " 'BEGIN RETURN public.write_trail($1); END'");
  const std::string by_type =
      "SELECT count(x) AS n FROM (SELECT id::plain AS x FROM orders OFFSET 0) AS s";
  const std::string by_heir = "SELECT count(*) AS n FROM parent WHERE id > 0";
  lab_.run(kDatabase,
           "CREATE VIEW one AS SELECT 1 AS n; GRANT SELECT ON one TO source_user; CREATE FUNCTION "
           "of_one() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(n) FROM public.one'");
  const bool bodies_are_seen = !GetParam();  // not behind a pool
  EXPECT_THAT(read("SELECT of_one() AS n"), HasSubstr(bodies_are_seen ? R"({"n":1})" : "of_one"));
  EXPECT_EQ(read(by_type), R"([{"n":2}])");
  EXPECT_EQ(read(by_heir), R"([{"n":0}])");
  lab_.run(kDatabase,
           "ALTER DOMAIN plain ADD CHECK (said_immutable(VALUE) > 0);"
           "ALTER TABLE heir ADD CHECK (said_immutable(7) > 0);"
           "CREATE OR REPLACE VIEW one AS SELECT said_immutable(8) AS n");
  EXPECT_THAT(read("SELECT of_one() AS n"),
              HasSubstr(bodies_are_seen ? "said_immutable" : "of_one"));
  EXPECT_THAT(read(by_type), HasSubstr("said_immutable"));
  EXPECT_THAT(read(by_heir), HasSubstr("said_immutable"));
}

/// What only newer servers have: JSON_VALUE of a type since 17, SYSTEM_USER since 16.
TEST_P(SourceTest, NewerServersOwnWordsAreJudged) {
  const int version = std::stoi(lab_.run(kDatabase, "SHOW server_version_num")) / 10000;
  EXPECT_THAT(read("SELECT system_user"),
              HasSubstr(version < 16 ? "does not exist" : "system_user"));
  lab_.run(kDatabase, "CREATE DOMAIN by_trail AS int CHECK (write_trail(VALUE) > 0)");
  const std::string view =
      "CREATE VIEW by_json AS SELECT json_value(jsonb '1', '$' RETURNING by_trail) AS n;"
      "CREATE VIEW by_now AS SELECT json_value(jsonb '\"now\"', '$' RETURNING timestamp) AS n;"
      "GRANT SELECT ON by_json, by_now TO source_user";
  if (version < 17) {
    EXPECT_THROW(lab_.run(kDatabase, view), std::exception);
    return;
  }
  lab_.run(kDatabase, view);
  EXPECT_THAT(read("SELECT n FROM by_json"), HasSubstr("write_trail"));
  EXPECT_THAT(read("SELECT n FROM by_now"), HasSubstr("[{\"n\":"));
  EXPECT_FALSE(last_may_be_kept_);
}

TEST_P(SourceTest, ATenantsSettingHoldsForItsStatementsAlone) {
  reads_.tenancy.tenant_setting = "app.tenant";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read("SELECT id FROM orders", "acme"), R"([{"id":1}])");
    EXPECT_EQ(read("SELECT id FROM orders", "beta"), R"([{"id":2}])");
    EXPECT_EQ(as_other_client("SELECT current_setting('app.tenant', true)"), "");
  }
}

TEST_P(SourceTest, ATenantsRoleHoldsForItsStatementsAlone) {
  reads_.tenancy.tenants = {{"acme", {"source_acme", {}}}, {"beta", {}}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read("SELECT id FROM orders", "acme"), R"([{"id":1}])");
    EXPECT_THAT(read("SELECT order_id FROM lines", "acme"), HasSubstr("permission denied"));
    EXPECT_EQ(read("SELECT count(*) AS n FROM orders", "beta"), R"([{"n":2}])");
    EXPECT_EQ(as_other_client("SELECT current_user"), "source_user");
  }
}

TEST_P(SourceTest, RolesThatDoNotKeepTenantsApartAreTold) {
  reads_.tenancy.tenants = {{"acme", {"source_acme", {}}}};
  EXPECT_EQ(told_of_roles(), "");
  lab_.run(kDatabase, "GRANT INSERT ON lines TO source_acme");
  EXPECT_THAT(told_of_roles(),
              HasSubstr("as role source_acme may write public.lines: REVOKE INSERT, UPDATE, "
                        "DELETE, TRUNCATE ON public.lines FROM source_acme"));
  lab_.run(kDatabase, "REVOKE INSERT ON lines FROM source_acme");
  reads_.tenancy.tenants["beta"] = {};
  EXPECT_EQ(told_of_roles(), "") << "the login role doesn't inherit";
  lab_.run("postgres",
           "ALTER ROLE source_user INHERIT; REVOKE source_acme FROM source_user; "
           "GRANT source_acme TO source_user");
  EXPECT_THAT(told_of_roles(), HasSubstr("has of itself what role source_acme of a tenant may"));
  lab_.run("postgres", "ALTER ROLE source_user NOINHERIT; REVOKE source_acme FROM source_user");
  EXPECT_THAT(
      told_of_roles(),
      HasSubstr("can't become role \"source_acme\" of a tenant (permission denied to set role "
                "\"source_acme\"): GRANT \"source_acme\" TO source_user"));
  writes_.tenancy = reads_.tenancy;
  const auto lacks = sql::lacks_for_writing(writes_);
  ASSERT_TRUE(lacks) << lacks.error().message;
  EXPECT_THAT(testing::PrintToString(*lacks), HasSubstr("can't become role"));
}

TEST_P(SourceTest, ARoleThatHasAnothersRightsIsTold) {
  lab_.role("source_beta");
  lab_.run("postgres", "GRANT source_beta TO source_user; GRANT source_acme TO source_beta");
  reads_.tenancy.tenants = {{"acme", {"source_acme", {}}}, {"beta", {"source_beta", {}}}};
  EXPECT_EQ(told_of_roles(),
            "the login role has, as role source_beta of a tenant, also what role source_acme of "
            "another may: REVOKE "
            "source_acme FROM source_beta\n");
}

TEST_P(SourceTest, ATenantsRoleThatIsASuperuserIsRefused) {
  lab_.run("postgres", "ALTER ROLE source_acme SUPERUSER");
  reads_.tenancy.tenants = writes_.tenancy.tenants = {{"acme", {"source_acme", {}}}};
  EXPECT_THAT(read("SELECT id FROM orders", "acme"), HasSubstr("a superuser, which is refused"));
  EXPECT_THAT(write("INSERT INTO orders VALUES (3, 'acme')", "one"),
              HasSubstr("a superuser, which is refused"));
  EXPECT_THAT(search("acme"), HasSubstr("superuser"));
  EXPECT_THAT(told_of_roles(), HasSubstr("becomes a superuser as role source_acme of a tenant"));
  lab_.run("postgres", "ALTER ROLE source_acme NOSUPERUSER");
}

/// An operator for the column's very type is taken before the server's own, wherever it stands.
TEST_P(SourceTest, SearchesCompareTenantsByTheServersOwnOperator) {
  lab_.run(kDatabase,
           "CREATE FUNCTION always(varchar, varchar) RETURNS boolean LANGUAGE sql IMMUTABLE AS "
           "'SELECT true'; CREATE OPERATOR public.= (LEFTARG = varchar, RIGHTARG = varchar, "
           "FUNCTION = always)");
  EXPECT_THAT(search("acme"), testing::AllOf(HasSubstr("\"a\""), testing::Not(HasSubstr("\"b\""))));
}

TEST_P(SourceTest, SearchesTellTenantsApartToTheByte) {
  lab_.run(kDatabase,
           "CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', "
           "deterministic = false);"
           "ALTER TABLE passages ALTER tenant TYPE text COLLATE careless;"
           "INSERT INTO passages VALUES (3, 'c', 'ACME', '{1,0}')");
  EXPECT_THAT(search("acme"), testing::AllOf(HasSubstr("\"a\""), testing::Not(HasSubstr("\"c\""))));
}

/// Before 15 it counts as the system's own there.
TEST_P(SourceTest, ATriggerOfTheWholeTableIsOneOfItsParts) {
  lab_.run(kDatabase,
           "CREATE TABLE whole (id int) PARTITION BY LIST (id);"
           "CREATE TABLE part PARTITION OF whole FOR VALUES IN (1);"
           "CREATE TRIGGER leave_trail AFTER INSERT ON whole FOR EACH ROW EXECUTE FUNCTION "
           "leave_trail(); GRANT ALL ON whole, part TO source_user");
  writes_.rules.tables = {"part"};
  EXPECT_THAT(write("INSERT INTO part VALUES (1)", "one"), HasSubstr("leave_trail"));
  EXPECT_EQ(trail(), "0");
}

TEST_P(SourceTest, AWriterThatMayOnlyReadIsTold) {
  lab_.run(kDatabase, "REVOKE INSERT, UPDATE, DELETE ON orders FROM source_user");
  const auto lacks = sql::lacks_for_writing(writes_);
  ASSERT_TRUE(lacks) << lacks.error().message;
  ASSERT_EQ(lacks->size(), 1U) << testing::PrintToString(*lacks);
  EXPECT_THAT(lacks->front(),
              HasSubstr("may not write \"public\".\"orders\": GRANT INSERT, UPDATE, "
                        "DELETE, SELECT ON \"public\".\"orders\" TO source_user"));
}

TEST_P(SourceTest, ARoleThatIsNotThereIsTold) {
  reads_.tenancy.tenants = {{"acme", {"source_acme_2", {}}}};
  EXPECT_THAT(
      told_of_roles(),
      HasSubstr("can't become role source_acme_2 of a tenant, which isn't there: CREATE ROLE "
                "source_acme_2 NOLOGIN; GRANT source_acme_2 TO source_user"));
}

/// Of the login role, each with what ends it.
TEST_P(SourceTest, RightsOfAllKindsThatAReaderNeedNotHaveAreTold) {
  lab_.role("source_owner");
  lab_.run("postgres", "ALTER ROLE source_user INHERIT");
  lab_.run(kDatabase,
           "REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM source_user; "
           "CREATE SEQUENCE numbers; GRANT USAGE ON numbers TO source_user; "
           "GRANT UPDATE (state) ON orders TO source_user");
  EXPECT_THAT(told(),
              HasSubstr("may write public.numbers and 1 more: REVOKE INSERT (state), UPDATE "
                        "(state) ON public.orders FROM source_user; REVOKE USAGE, UPDATE ON "
                        "SEQUENCE public.numbers FROM source_user"));
  lab_.run(kDatabase,
           "REVOKE INSERT (state), UPDATE (state) ON public.orders FROM source_user; "
           "REVOKE USAGE, UPDATE ON SEQUENCE public.numbers FROM source_user");
  EXPECT_THAT(told(), testing::Not(HasSubstr("may write")));
  lab_.run("postgres", "GRANT source_owner TO source_user");
  lab_.run(kDatabase, "ALTER TABLE lines OWNER TO source_owner");
  EXPECT_THAT(told(), HasSubstr("may write public.lines: REVOKE source_owner FROM source_user"));
  lab_.run(kDatabase,
           "ALTER TABLE lines OWNER TO postgres; ALTER DATABASE sourced OWNER TO "
           "source_owner");
  EXPECT_THAT(told(), HasSubstr("is a member of source_owner, which owns the database: REVOKE "
                                "source_owner FROM source_user"));
  lab_.run(kDatabase, "ALTER DATABASE sourced OWNER TO postgres");
  EXPECT_THAT(told(), testing::Not(HasSubstr("may read no table")));
  lab_.run("postgres", "REVOKE source_acme FROM source_user");
  lab_.run(kDatabase, "REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM source_user");
  EXPECT_THAT(told(), HasSubstr("may read no table: GRANT USAGE ON SCHEMA public TO source_user"));
}

TEST_P(SourceTest, WhatTheServerDoesNotLimitForALoginRoleIsTold) {
  EXPECT_THAT(told(), HasSubstr("has no temp_file_limit, so that one statement may fill the disk: "
                                "ALTER ROLE source_user SET temp_file_limit = '1GB'"));
  EXPECT_THAT(told(), HasSubstr("has what the server makes of each new statement in the server's "
                                "log: ALTER ROLE source_user SET log_min_messages = 'fatal'"));
}

/// By what was told, before the first connection: settings of roles hold from the next one on.
TEST_P(SourceTest, WhatTheServerLimitsForALoginRoleIsToldNoMore) {
  lab_.run("postgres",
           "ALTER ROLE source_user SET temp_file_limit = '1GB'; "
           "ALTER ROLE source_user SET log_min_messages = 'fatal'");
  EXPECT_THAT(told(), testing::AllOf(HasSubstr("may write"),  // it was asked
                                     testing::Not(HasSubstr("temp_file_limit")),
                                     testing::Not(HasSubstr("log_min_messages"))));
}

TEST_P(SourceTest, NothingIsLeftForTheNextClient) {
  read("SELECT id FROM orders");
  read("SELECT nothing FROM orders");
  read("SELECT write_trail(1)");
  write("INSERT INTO orders VALUES (3, 'acme')", "one");
  EXPECT_THAT(search("acme"), HasSubstr("\"a\""));
  for (const auto& [setting, value] : {std::pair{"default_transaction_read_only", "off"},
                                       {"client_min_messages", "notice"},
                                       {"debug_print_rewritten", "off"},
                                       {"search_path", "\"$user\", public"},
                                       {"statement_timeout", "0"},
                                       {"lock_timeout", "0"},
                                       {"idle_in_transaction_session_timeout", "0"}})
    EXPECT_EQ(as_other_client(std::string("SHOW ") + setting), value) << setting;
  EXPECT_EQ(as_other_client("SELECT count(*) FROM pg_prepared_statements"), "0");
  EXPECT_EQ(
      lab_.run(kDatabase,
               "SELECT count(*) FROM pg_stat_activity WHERE usename = 'source_user' AND state "
               "LIKE 'idle in%'"),
      "0");
}

INSTANTIATE_TEST_SUITE_P(Straight, SourceTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Pooled, SourceTest, testing::Values(true));

}  // namespace
}  // namespace ba
