// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/postgres/rows.hpp"
#include "tests/support/scratch_schema.hpp"

namespace ba::storage {
namespace {

using testing::HasSubstr;
using Kind = PgFailure::Kind;

constexpr Statement kNumber{"number", "SELECT $1::bigint AS number"};
constexpr Statement kAdd{"add", "INSERT INTO notes VALUES ($1)"};
constexpr Statement kCount{"count", "SELECT count(*) AS notes FROM notes"};
constexpr Statement kDivide{"divide", "SELECT 1 / $1::integer"};
constexpr Statement kNowhere{"nowhere", "SELECT * FROM no_such_table"};

class ConnectionTest : public testing::Test {
 protected:
  void SetUp() override { connection_.execute("CREATE TEMPORARY TABLE notes (number bigint)"); }

  std::int64_t count() { return Rows("count", connection_.run(kCount, {})).first().big("notes"); }

  template <typename Act>
  PgFailure failure(Act act) {
    try {
      act();
    } catch (const PgFailure& failed) {
      return failed;
    }
    ADD_FAILURE() << "nothing failed";
    return {Kind::Statement, ""};
  }

  ScratchSchema schema_{ScratchSchema::Fill::Empty};
  Connection connection_{schema_.access().url};
};

TEST_F(ConnectionTest, WhatIsSentIsDoneInOrderAndWaitedForOnce) {
  const std::int64_t before = connection_.waits();
  connection_.begin();
  for (int i = 0; i < 100; ++i) connection_.send(kAdd, {to_parameter(i)});
  EXPECT_EQ(count(), 100);
  connection_.send(kAdd, {to_parameter(100)});
  connection_.commit();
  EXPECT_EQ(connection_.waits() - before, 2);
  EXPECT_EQ(count(), 101);
}

TEST_F(ConnectionTest, AnErrorSkipsWhatWasSentAfterItAndIsThrownByWhoWaits) {
  connection_.begin();
  connection_.send(kAdd, {to_parameter(1)});
  connection_.send(kDivide, {to_parameter(0)});
  connection_.send(kAdd, {to_parameter(2)});
  const PgFailure failed = failure([&] { connection_.commit(); });
  EXPECT_EQ(failed.kind(), Kind::Statement);
  EXPECT_EQ(failed.sqlstate(), "22012");
  connection_.roll_back();
  EXPECT_TRUE(connection_.is_open());
  EXPECT_EQ(count(), 0);
}

TEST_F(ConnectionTest, AStatementThatCouldNotBePreparedIsPreparedAgain) {
  EXPECT_EQ(failure([&] { connection_.run(kNowhere, {}); }).sqlstate(), "42P01");
  connection_.execute("CREATE TEMPORARY TABLE no_such_table ()");
  EXPECT_NO_THROW(connection_.run(kNowhere, {}));
}

TEST_F(ConnectionTest, OneThatWasSkippedIsPreparedAgain) {
  connection_.begin();
  connection_.send(kDivide, {to_parameter(0)});
  connection_.send(kNumber, {to_parameter(7)});
  EXPECT_THROW(connection_.settle(), PgFailure);
  connection_.roll_back();
  EXPECT_EQ(Rows("number", connection_.run(kNumber, {to_parameter(7)})).first().big("number"), 7);
}

TEST_F(ConnectionTest, ACommitOfWhatHasFailedIsNoCommit) {
  connection_.begin();
  EXPECT_THROW(connection_.run(kDivide, {to_parameter(0)}), PgFailure);
  const PgFailure failed = failure([&] { connection_.commit(); });
  EXPECT_EQ(failed.kind(), Kind::Statement);
  EXPECT_THAT(failed.what(), HasSubstr("rolled back"));
}

TEST_F(ConnectionTest, ATextWithAZeroIsRefusedAsByTheServer) {
  const PgFailure failed =
      failure([&] { connection_.run(kNumber, {to_parameter(std::string("1\0002", 3))}); });
  EXPECT_EQ(failed.sqlstate(), "22021");
  EXPECT_TRUE(connection_.is_open());
}

TEST_F(ConnectionTest, ValuesAndNullsArriveAsTheyAre) {
  constexpr Statement kValues{"values", R"sql(
    SELECT $1::text AS text, $2::boolean AS flag, $3::bigint IS NULL AS none, $4::bytea AS bytes,
           cardinality($5::bigint[]) AS numbers)sql"};
  BigintArray numbers;
  for (int i = 0; i < 3; ++i) numbers.add(i);
  const Rows rows(
      "values", connection_.run(kValues, {to_parameter("a 'b' \\"), to_parameter(true),
                                          to_parameter(std::optional<int>()),
                                          to_parameter(Bytes{{"\0x", 2}}), to_parameter(numbers)}));
  EXPECT_EQ(rows.first().text("text"), "a 'b' \\");
  EXPECT_TRUE(rows.first().flag("flag"));
  EXPECT_TRUE(rows.first().flag("none"));
  EXPECT_EQ(rows.first().bytes("bytes"), std::string("\0x", 2));
  EXPECT_EQ(rows.first().number("numbers"), 3);
}

TEST_F(ConnectionTest, PlainStatementsComeInBetween) {
  connection_.begin();
  connection_.send(kAdd, {to_parameter(1)});
  const Rows rows("plain", connection_.execute("INSERT INTO notes VALUES (2); TABLE notes"));
  EXPECT_EQ(rows.size(), 2U);
  connection_.commit();
  EXPECT_EQ(count(), 2);
  EXPECT_EQ(failure([&] { connection_.execute("SELECT 1; SELECT 1 / 0"); }).sqlstate(), "22012");
}

TEST_F(ConnectionTest, ACommitThatIsNotAnsweredIsInDoubt) {
  connection_.begin();
  const Rows rows("plain", connection_.execute("SELECT pg_backend_pid()"));
  schema_.query("SELECT pg_terminate_backend(" + rows.value() + ", 5000)");
  EXPECT_EQ(failure([&] { connection_.commit(); }).kind(), Kind::CommitInDoubt);
  EXPECT_FALSE(connection_.is_open());
  connection_.roll_back();
}

TEST_F(ConnectionTest, ALostConnectionIsNoDoubtBeforeTheCommit) {
  const Rows rows("plain", connection_.execute("SELECT pg_backend_pid()"));
  schema_.query("SELECT pg_terminate_backend(" + rows.value() + ", 5000)");
  connection_.begin();
  EXPECT_NE(failure([&] { connection_.run(kNumber, {to_parameter(1)}); }).kind(),
            Kind::CommitInDoubt);
  EXPECT_FALSE(connection_.is_open());
}

}  // namespace
}  // namespace ba::storage
