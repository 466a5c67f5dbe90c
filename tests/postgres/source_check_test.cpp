// SPDX-License-Identifier: Apache-2.0
// What doctor says of data sources, on servers of each version: each finding with the statement
// that mends it, which is run; and nothing of the roles that config/SECURITY.md has as examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "tests/postgres/server_lab.hpp"
#include "worker/cli/doctor/check.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/read_only_session.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"
#include "worker/tools/sql/write_session.hpp"
#include "worker/tools/vector/vector_session.hpp"

namespace ba {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Milliseconds kTimeout{20000};
constexpr const char* kDatabase = "shop";

std::string content(const char* file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  if (text.str().empty()) throw std::runtime_error(std::string("can't read ") + file);
  return text.str();
}

/// The example of config/SECURITY.md that begins with these words in a comment.
std::string documented(const std::string& beginning) {
  const std::string page = content("config/SECURITY.md");
  for (std::size_t at = page.find("```sql\n"); at != page.npos; at = page.find("```sql\n", at)) {
    at += 7;
    const std::string block = page.substr(at, page.find("```", at) - at);
    if (block.starts_with("-- " + beginning)) return block;
  }
  throw std::runtime_error("config/SECURITY.md has no example '" + beginning + "'");
}

class SourceCheckTest : public testing::Test {
 protected:
  SourceCheckTest() {
    lab_.role("shop_owner");
    lab_.database(kDatabase);
    lab_.run(kDatabase,
             "GRANT CREATE, USAGE ON SCHEMA public TO shop_owner; SET ROLE shop_owner; "
             "CREATE TABLE orders (id int PRIMARY KEY, tenant text NOT NULL, state text); "
             "CREATE TABLE customers (id int PRIMARY KEY, name text); "
             "INSERT INTO orders VALUES (1, 'acme', 'new'), (2, 'beta', 'new'); RESET ROLE");
    source_.name = writes_.name = "shop";
    writes_.rules.tables = {"orders"};
    for (const char* role : {"shop_reader", "shop_writer"}) lab_.keep(role);
    example("For all roles below");
    lab_.run("postgres", "ALTER ROLE shop_reader PASSWORD 'shop_reader'");
    source_.url = lab_.access(kDatabase, "shop_reader").url;
  }

  void example(const std::string& beginning) { lab_.run(kDatabase, documented(beginning)); }

  void set_up_writer() {
    example("A writer");
    lab_.run(kDatabase, std::regex_replace(content("config/effects_table.sql"),
                                           std::regex(":\"writer\""), "shop_writer"));
    lab_.run("postgres", "ALTER ROLE shop_writer PASSWORD 'shop_writer'");
    writes_.url = lab_.access(kDatabase, "shop_writer").url;
  }

  cli::Check check() const {
    config::Config config;
    config.tools.of<sql::SqlConfig>().data_sources = {source_};
    return cli::check_data_sources(config).at(0);
  }

  cli::Check check_writes() const {
    config::Config config;
    config.tools.of<sql::SqlConfig>().write_sources = {writes_};
    return cli::check_data_sources(config).at(0);
  }

  /// As a tenant's job; the error, or the rows.
  RawToolResult read(const std::string& sql, const std::string& tenant) {
    sql::ReadOnlySession session(source_);
    RawToolResult result = session.run(*sql::guard(sql), tenant, 100, kTimeout, never_);
    session.clean_up();
    return result;
  }

  RawToolResult write(const std::string& sql, const std::string& tenant, const std::string& key) {
    sql::WriteSession session(writes_);
    RawToolResult result =
        session.run({*sql::guard_write(sql, writes_.rules), key, tenant, kTimeout}, never_);
    session.clean_up();
    return result;
  }

  /// Runs what stands behind the one finding, which is told then no more.
  void expect_mended(const std::string& words, const std::string& remedy) {
    const cli::Check before = check();
    EXPECT_EQ(before.status, cli::CheckStatus::Warn);
    EXPECT_THAT(before.findings, ElementsAre(AllOf(HasSubstr(words), HasSubstr(remedy))));
    if (before.findings.size() != 1) return;
    lab_.run(kDatabase, before.findings[0].substr(before.findings[0].find(": ") + 2));
    EXPECT_THAT(check().findings, IsEmpty());
  }

  const tools::Cancellation never_;
  ServerLab lab_;
  sql::DataSourceConfig source_;
  sql::WriteSourceConfig writes_;
};

TEST_F(SourceCheckTest, OfTheDocumentsRolesThereIsNothingToSay) {
  set_up_writer();
  EXPECT_THAT(check().findings, IsEmpty());
  EXPECT_EQ(check().status, cli::CheckStatus::Pass);
  EXPECT_THAT(check_writes().findings, IsEmpty());
  EXPECT_EQ(check_writes().status, cli::CheckStatus::Pass);
  EXPECT_EQ(read("SELECT count(*) AS n FROM orders", "acme").data, R"([{"n":2}])");
  const RawToolResult written = write("INSERT INTO orders VALUES (3, 'acme')", "acme", "one");
  EXPECT_THAT(written.data, HasSubstr("1 row inserted"));
  lab_.run(kDatabase, "SET ROLE shop_owner; CREATE TABLE later (id int); RESET ROLE");
  EXPECT_EQ(read("SELECT count(*) AS n FROM later", "acme").data, R"([{"n":0}])");
}

TEST_F(SourceCheckTest, TheDocumentsSettingOfTenantsKeepsThemApart) {
  set_up_writer();
  source_.tenancy.tenant_setting = writes_.tenancy.tenant_setting = "app.tenant";
  example("tenant_setting: app.tenant");
  EXPECT_THAT(check().findings, IsEmpty());
  EXPECT_THAT(check_writes().findings, IsEmpty());
  EXPECT_EQ(read("SELECT id FROM orders", "beta").data, R"([{"id":2}])");
  EXPECT_TRUE(write("INSERT INTO orders VALUES (3, 'beta')", "acme", "one").error);
  EXPECT_FALSE(write("INSERT INTO orders VALUES (3, 'acme')", "acme", "two").error);
}

TEST_F(SourceCheckTest, TheDocumentsRolesOfTenantsKeepThemApart) {
  for (const char* role : {"shop_acme", "shop_beta"}) lab_.keep(role);
  source_.tenancy.tenants = {{"acme", {"shop_acme", {}}}, {"beta", {"shop_beta", {}}}};
  example("tenants: {acme");
  EXPECT_THAT(check().findings, IsEmpty());
  EXPECT_EQ(check().status, cli::CheckStatus::Pass);
  EXPECT_EQ(read("SELECT id FROM orders", "acme").data, R"([{"id":1}])");
  EXPECT_EQ(read("SELECT id FROM orders", "beta").data, R"([{"id":2}])");
}

TEST_F(SourceCheckTest, ARoleThatCanNotBeTakenIsAFailureWithItsGrant) {
  set_up_writer();
  lab_.role("shop_other");
  source_.tenancy.tenants = {{"acme", {"shop_other", {}}}};
  writes_.tenancy = source_.tenancy;
  EXPECT_EQ(check().status, cli::CheckStatus::Fail);
  EXPECT_EQ(check().remedy, "GRANT \"shop_other\" TO shop_reader");
  EXPECT_THAT(check().findings,
              ElementsAre(HasSubstr("the login role can't become role \"shop_other\"")));
  EXPECT_EQ(check_writes().status, cli::CheckStatus::Fail);
  source_.tenancy.tenants["acme"].role = "shop_nobody";
  EXPECT_EQ(check().status, cli::CheckStatus::Fail);
  EXPECT_EQ(check().remedy, "CREATE ROLE shop_nobody NOLOGIN; GRANT shop_nobody TO shop_reader");
}

/// Whatever the statement is: the model is not told that its SQL was wrong.
TEST_F(SourceCheckTest, WhatCanNotBeSetForATenantIsAnErrorOfTheConfiguration) {
  set_up_writer();
  lab_.role("shop_other");
  using Tenant = sql::SourceTenancy::Tenant;
  for (const auto& [tenant, words] :
       {std::pair{Tenant{"shop_other", {}},
                  "The role 'shop_other' of the data source 'shop' can't"},
        {Tenant{"shop_nobody", {}}, "The role 'shop_nobody' of the data source 'shop' can't"},
        {Tenant{"", {{"work_mem", "lots"}}}, "The setting 'work_mem' of the data source 'shop'"},
        {Tenant{"", {{"log_statement", "all"}}}, "The setting 'log_statement'"}}) {
    source_.tenancy.tenants = {{"acme", tenant}};
    writes_.tenancy = source_.tenancy;
    vector::VectorSession vectors(source_);
    vector::VectorOrder order;
    order.index.name = order.index.table = "customers";
    order.index.data_source = "shop";
    order.tenant = "acme";
    order.embedding = {1.0, 0.0};
    const RawToolResult searched = vectors.search(order, kTimeout, never_);
    vectors.clean_up();
    for (const RawToolResult& result :
         {read("SELECT id FROM orders", "acme"), read("EXPLAIN SELECT id FROM orders", "acme"),
          write("INSERT INTO orders VALUES (3, 'acme')", "acme", "one"), searched}) {
      ASSERT_TRUE(result.error) << words;
      EXPECT_EQ(result.error->code, "SOURCE_MISCONFIGURED") << result.error->message;
      EXPECT_EQ(error_kind(result.error->type), ToolErrorKind::NeedsPerson);
      EXPECT_THAT(result.error->message, AllOf(HasSubstr(words), HasSubstr("ask an operator")));
    }
    EXPECT_EQ(check().status, cli::CheckStatus::Fail) << words;
    EXPECT_EQ(check_writes().status, cli::CheckStatus::Fail) << words;
  }
}

TEST_F(SourceCheckTest, ASettingOfTenantsThatNothingAsksForIsTold) {
  set_up_writer();
  source_.tenancy.tenant_setting = writes_.tenancy.tenant_setting = "app.tenant";
  EXPECT_EQ(check().status, cli::CheckStatus::Warn);
  EXPECT_THAT(
      check().findings,
      ElementsAre(AllOf(HasSubstr("tenant_setting app.tenant changes nothing"),
                        HasSubstr("ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY; CREATE "
                                  "POLICY of_tenant ON public.customers TO shop_reader USING "
                                  "(tenant = current_setting('app.tenant', true))"))));
  EXPECT_EQ(check_writes().status, cli::CheckStatus::Warn);
  lab_.run(kDatabase,
           "ALTER TABLE orders ENABLE ROW LEVEL SECURITY; "
           "CREATE POLICY fixed ON orders USING (tenant = 'acme')");
  EXPECT_EQ(check().status, cli::CheckStatus::Warn) << "a policy that asks for nothing";
  lab_.run(kDatabase,
           "CREATE FUNCTION mine(text) RETURNS boolean LANGUAGE sql STABLE AS "
           "$$ SELECT $1 = current_setting('app.tenant', true) $$; "
           "CREATE POLICY by_function ON orders USING (mine(tenant))");
  EXPECT_EQ(check().status, cli::CheckStatus::Pass);
  lab_.run(kDatabase, "DROP POLICY by_function ON orders; DROP POLICY fixed ON orders");
  EXPECT_EQ(check().status, cli::CheckStatus::Warn);
  lab_.run(kDatabase,
           "CREATE VIEW own AS SELECT id FROM orders WHERE tenant = "
           "current_setting('app.tenant', true); GRANT SELECT ON own TO shop_reader");
  EXPECT_EQ(check().status, cli::CheckStatus::Pass) << "a view may be what keeps tenants apart";
}

TEST_F(SourceCheckTest, AWrongPasswordNamesTheRoleAndWhereItStands) {
  source_.url = std::regex_replace(source_.url, std::regex(":shop_reader@"), ":hunter2@");
  config::Config config;
  config.tools.of<sql::SqlConfig>().data_sources = {source_};
  settings::Findings findings;
  findings.settings.push_back({{"tools", "data_sources", "0", "url"},
                               "",
                               {settings::Origin::Kind::File, "ba.yaml", 12},
                               {}});
  const cli::Check check = cli::check_data_sources(config, findings).at(0);
  EXPECT_EQ(check.status, cli::CheckStatus::Fail);
  EXPECT_EQ(check.message,
            "The data source 'shop' refuses the configured login: password authentication failed "
            "for user \"shop_reader\"");
  EXPECT_THAT(check.remedy, HasSubstr("correct the role or its password in "
                                      "tools.data_sources.0.url (ba.yaml:12)"));
  EXPECT_THAT(check.message + check.remedy, Not(HasSubstr("hunter2")));
  const RawToolResult told = read("SELECT 1", "acme");
  ASSERT_TRUE(told.error);
  EXPECT_THAT(told.error->message, Not(HasSubstr("shop_reader"))) << "a model gets no login";
  config.tools.of<sql::SqlConfig>().data_sources[0].url =
      std::regex_replace(source_.url, std::regex(":hunter2@"), "@");
  const cli::Check without = cli::check_data_sources(config).at(0);
  EXPECT_THAT(without.message, HasSubstr("\"shop_reader\" has to give a password"));
  EXPECT_THAT(without.remedy, HasSubstr("there is no password in it, so that PGPASSWORD is taken"));
}

/// The server's version is a statement, not a warning, and never hides how the source is protected.
TEST_F(SourceCheckTest, TheServerAndItsProtectionAreToldWithFindingsAndWithout) {
  const std::string good = check().message;
  EXPECT_THAT(good,
              AllOf(testing::StartsWith("PostgreSQL 1"), HasSubstr("read only, not encrypted")));
  lab_.run(kDatabase, "GRANT INSERT ON orders TO shop_reader");
  EXPECT_EQ(check().status, cli::CheckStatus::Warn);
  EXPECT_EQ(check().message, good);
}

TEST_F(SourceCheckTest, FunctionsThatReachOutsideAreTold) {
  lab_.run(kDatabase, "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO shop_reader");
  expect_mended(
      "may execute 1 function on the server's files, for example "
      "pg_read_file(text)",
      "REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM shop_reader");
}

TEST_F(SourceCheckTest, FunctionsOfAnExtensionThatReachesOutsideAreTold) {
  lab_.run(kDatabase, "CREATE EXTENSION dblink");
  expect_mended(
      "functions of the extension dblink, which reaches outside the database, for "
      "example public.dblink",
      " FROM PUBLIC");
}

TEST_F(SourceCheckTest, WhatNewTablesWouldBringIsTold) {
  lab_.run(kDatabase,
           "ALTER DEFAULT PRIVILEGES FOR ROLE shop_owner IN SCHEMA public GRANT INSERT, DELETE ON "
           "TABLES TO shop_reader");
  expect_mended("will have DELETE, INSERT on each new table of shop_owner IN SCHEMA public",
                "ALTER DEFAULT PRIVILEGES FOR ROLE shop_owner IN SCHEMA public REVOKE DELETE, "
                "INSERT ON TABLES FROM shop_reader");
}

TEST_F(SourceCheckTest, RightsThatMayBePassedOnAreTold) {
  lab_.run(kDatabase,
           "GRANT SELECT ON orders TO shop_reader WITH GRANT OPTION; "
           "GRANT SELECT (name) ON customers TO shop_reader WITH GRANT OPTION; "
           "GRANT USAGE ON SCHEMA public TO shop_reader WITH GRANT OPTION");
  expect_mended("may pass on its rights on public.customers and 2 more",
                "REVOKE GRANT OPTION FOR SELECT ON public.orders FROM shop_reader");
}

}  // namespace
}  // namespace ba
