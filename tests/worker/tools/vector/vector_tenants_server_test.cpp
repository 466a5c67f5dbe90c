// SPDX-License-Identifier: Apache-2.0
// Who sees which rows, and what no search can do.
#include "tests/worker/tools/vector/vector_server_fixture.hpp"

namespace ba::vector {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using VectorTenantsOnServer = VectorOnServer;

TEST_F(VectorTenantsOnServer, AJobFindsRowsOfItsOwnTenantOnly) {
  add("ours", "{0,1,0}");
  add("theirs", "{1,0,0}", "globex");
  EXPECT_EQ(ids("1 0 0"), "ours");
  tenant_ = "globex";
  EXPECT_EQ(ids("1 0 0"), "theirs");
  for (const char* stranger : {"acm", "ACME", "acme ", "%", "acme' OR tenant <> '", "$1", "\\"}) {
    tenant_ = stranger;
    EXPECT_EQ(ids("1 0 0"), "") << stranger;
  }
}

TEST_F(VectorTenantsOnServer, EveryTenantFindsAllOfASharedIndex) {
  add("ours", "{0,1,0}");
  add("theirs", "{1,0,0}", "globex");
  index().tenant_column.clear();
  index().shared_by_tenants = true;
  tenant_ = "third";
  EXPECT_EQ(ids("1 0 0"), "theirs ours");
}

TEST_F(VectorTenantsOnServer, TheRowSecurityOfTheRoleHolds) {
  add("open", "{1,0,0}");
  add("hidden", "{1,0,0}");
  EXPECT_EQ(ids("1 0 0"), "hidden open");
  owner_.run(
      "ALTER TABLE ba_passages ENABLE ROW LEVEL SECURITY; "
      "CREATE POLICY open_only ON ba_passages TO ba_reader USING (id <> 'hidden')");
  EXPECT_EQ(ids("1 0 0"), "open");
}

TEST_F(VectorTenantsOnServer, ARoleWithoutTheRightIsToldWhatIsMissing) {
  owner_.run("REVOKE SELECT ON ba_passages FROM ba_reader");
  const ToolError error = error_of(search("1 0 0"));
  EXPECT_EQ(error.type, ToolErrorType::PermissionDenied);
  EXPECT_EQ(error.code, "42501");
  EXPECT_THAT(error.message, HasSubstr("index 'passages'"));
  EXPECT_THAT(error.message, HasSubstr("permission denied for table ba_passages"));
  EXPECT_THAT(error.message, HasSubstr("rights of the login role of 'kb'"));
}

TEST_F(VectorTenantsOnServer, ASearchChangesNothing) {
  owner_.run(
      "CREATE FUNCTION note_it() RETURNS text SECURITY DEFINER LANGUAGE sql AS "
      "$$ INSERT INTO ba_passages VALUES ('acme', 'new', 'x') RETURNING id $$; "
      "CREATE VIEW noted AS SELECT 'acme'::text AS tenant, 'a'::text AS id, note_it() AS text, "
      "'{1,0,0}'::real[] AS embedding; GRANT SELECT ON noted TO ba_reader");
  index().table = "noted";
  index().metadata_columns.clear();
  const ToolError error = error_of(search("1 0 0"));
  EXPECT_EQ(error.code, "25006") << error.message;
  EXPECT_EQ(owner_.value("SELECT count(*) FROM ba_passages"), "0");
}

TEST_F(VectorTenantsOnServer, LeavesNoTransactionOpen) {
  add("a", "{1,0,0}");
  EXPECT_EQ(ids("1 0 0"), "a");
  EXPECT_TRUE(until([&] { return states() == "idle"; }));
}

TEST_F(VectorTenantsOnServer, TheLoginIsInNoMessage) {
  const std::string good = source_.url;
  source_.url = std::regex_replace(good, std::regex("ba_reader:[^@]*@"), "ba_reader:wrong-secret@");
  ASSERT_NE(source_.url, good);
  const ToolError error = error_of(search("1 0 0"));
  EXPECT_EQ(error.code, "LOGIN_REFUSED");
  EXPECT_THAT(error.message, Not(HasSubstr("wrong-secret")));
  EXPECT_THAT(error.message, Not(HasSubstr("ba_reader")));
}

}  // namespace
}  // namespace ba::vector
