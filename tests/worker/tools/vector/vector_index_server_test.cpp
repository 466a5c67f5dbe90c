// SPDX-License-Identifier: Apache-2.0
// Tables that are not as configured: each is named, with what would be right.
#include "tests/worker/tools/vector/vector_server_fixture.hpp"
#include "worker/tools/vector/vector_session.hpp"

namespace ba::vector {
namespace {

using ::testing::HasSubstr;

class VectorIndexOnServer : public VectorOnServer {
 protected:
  void expect_refused(const std::string& words, const std::string& code = "INDEX_MISCONFIGURED") {
    const ToolError error = error_of(search("1 0 0"));
    EXPECT_EQ(error.type, ToolErrorType::DependencyError);
    EXPECT_EQ(error.code, code);
    EXPECT_THAT(error.message, HasSubstr("The index 'passages' can't be searched: "));
    EXPECT_THAT(error.message, HasSubstr(words));
    EXPECT_THAT(error.message, HasSubstr("n operator must "));
    tool_.reset();
  }
};

TEST_F(VectorIndexOnServer, TheSqlFileMayBeRunAgain) {
  add("a", "{1,0,0}");
  owner_.run(index_sql());
  EXPECT_EQ(ids("1 0 0"), "a");
}

TEST_F(VectorIndexOnServer, ATableOrColumnThatIsNotThereIsNamed) {
  index().table = "nowhere.passages";
  expect_refused("the table 'nowhere.passages' of 'kb' isn't there");
  index().table = "ba_passages";
  index().id_column = "key";
  expect_refused("has no column 'key'");
  index().id_column = "id";
  index().embedding_column = "vec";
  expect_refused("has no column 'vec'");
  index().embedding_column = "embedding";
  index().text_column = "body";
  expect_refused("column \"body\" does not exist", "42703");
  index().text_column = "text";
  index().tenant_column = "owner";
  expect_refused("column \"owner\" does not exist", "42703");
}

TEST_F(VectorIndexOnServer, IsCheckedWithoutACall) {
  const auto problem = [this] {
    const auto checked = check_index(index(), source_, 3, Milliseconds(10000));
    return checked ? std::string() : checked.error().message;
  };
  add("a", "{1,0,0}", "0");
  EXPECT_EQ(problem(), "");
  index().text_column = "body";
  EXPECT_THAT(problem(), HasSubstr("column \"body\" does not exist"));
  index().text_column = "text";
  owner_.run("REVOKE SELECT ON ba_passages FROM ba_reader");
  EXPECT_THAT(problem(), HasSubstr("permission denied"));
  owner_.run("DROP TABLE ba_passages");
  EXPECT_THAT(problem(), HasSubstr("the table 'ba_passages' of 'kb' isn't there"));
}

TEST_F(VectorIndexOnServer, AColumnOfAnotherTypeIsNamed) {
  index().embedding_column = "metadata";
  expect_refused("a column 'metadata' of type jsonb, where real[], double precision[]");
  owner_.run("ALTER TABLE ba_passages ADD ages integer[]");
  index().embedding_column = "ages";
  expect_refused("of type _int4");
}

TEST_F(VectorIndexOnServer, ATenantIsComparedByItsTextWhateverTheColumnIs) {
  owner_.run(
      "CREATE TABLE numbered (id int, tenant int, text text, embedding real[]); "
      "INSERT INTO numbered VALUES (1, 7, 'a', '{1,0,0}'), (2, 8, 'b', '{1,0,0}'); "
      "GRANT SELECT ON numbered TO ba_reader");
  index().table = "numbered";
  index().metadata_columns.clear();
  EXPECT_EQ(ids("1 0 0"), "") << "acme's";
  tenant_ = "7";
  EXPECT_EQ(ids("1 0 0"), "1");
}

}  // namespace
}  // namespace ba::vector
