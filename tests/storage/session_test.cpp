// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch_schema.hpp"

namespace ba::storage {
namespace {

constexpr Statement kBackend{"backend", "SELECT pg_backend_pid() AS backend"};
constexpr Statement kSetting{"setting", "SELECT current_setting($1) AS setting"};

class SessionTest : public testing::Test {
 protected:
  SessionOptions options(Milliseconds retry_window) {
    SessionOptions options;
    options.access = schema_.access();
    options.retry_window = retry_window;
    options.retries = &retries_;
    return options;
  }

  static Result<int> backend(Session& session) {
    return session.run(
        [](Transaction& tx) -> Result<int> { return tx.run(kBackend).first().number("backend"); });
  }

  void kill(int backend) {
    schema_.query("SELECT pg_terminate_backend(" + std::to_string(backend) + ")");
  }

  ScratchSchema schema_{ScratchSchema::Fill::Empty};
  Stop stop_;
  std::atomic<std::int64_t> retries_{0};
};

TEST_F(SessionTest, ALostConnectionIsReplaced) {
  Session session(options(std::chrono::seconds(20)), stop_);
  const auto first = backend(session);
  kill(*first);
  const auto second = backend(session);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE(*second, *first);
  EXPECT_GE(retries_, 1);
}

TEST_F(SessionTest, WithoutAWindowTheErrorComesBack) {
  Session session(options(Milliseconds(0)), stop_);
  kill(*backend(session));
  const auto failed = backend(session);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(failed.error().retry, Retry::Later);
  EXPECT_TRUE(backend(session));
}

TEST_F(SessionTest, AnErrorRollsBackAndAValueCommits) {
  Session session(options(Milliseconds(0)), stop_);
  schema_.execute("CREATE SCHEMA " + schema_.access().schema);
  schema_.execute("CREATE TABLE notes (text text)");
  const auto write = [&](bool keep) {
    return session.run([&](Transaction& tx) -> Result<int> {
      tx.execute("INSERT INTO notes VALUES ('x')");
      if (!keep) return invalid_argument("changed my mind");
      return 1;
    });
  };
  EXPECT_FALSE(write(false));
  EXPECT_EQ(schema_.query("SELECT count(*) FROM notes"), "0");
  EXPECT_TRUE(write(true));
  EXPECT_EQ(schema_.query("SELECT count(*) FROM notes"), "1");
}

TEST_F(SessionTest, CommitsAreDurableWhateverTheServerSays) {
  schema_.query("SELECT set_config('synchronous_commit', 'off', false)");
  SessionOptions weak = options(Milliseconds(0));
  weak.access.url += weak.access.url.find('?') == std::string::npos ? '?' : '&';
  weak.access.url += "options=-csynchronous_commit%3Doff";
  Session session(weak, stop_);
  const auto setting = session.run([](Transaction& tx) -> Result<std::string> {
    return tx.run(kSetting, "synchronous_commit").first().text("setting");
  });
  ASSERT_TRUE(setting) << setting.error().message;
  EXPECT_EQ(*setting, "on");
}

TEST_F(SessionTest, AStatementThatTakesTooLongIsATimeout) {
  SessionOptions hasty = options(Milliseconds(0));
  hasty.access.statement_timeout = Milliseconds(50);
  Session session(hasty, stop_);
  const auto slow = session.run([](Transaction& tx) -> Result<int> {
    tx.execute("SELECT pg_sleep(30)");
    return 1;
  });
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, ErrorCode::Timeout);
}

TEST_F(SessionTest, AnUnreachableServerIsUnavailable) {
  SessionOptions nowhere = options(Milliseconds(1000));
  nowhere.access.url = "postgresql://ba:secret@127.0.0.1:1/ba";
  Session session(nowhere, stop_);
  const auto failed = backend(session);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(failed.error().message, testing::Not(testing::HasSubstr("secret")));
  EXPECT_GE(retries_, 1);
}

TEST_F(SessionTest, ACommitInDoubtStaysInDoubtWhenALaterTryFails) {
  Session session(options(std::chrono::seconds(20)), stop_);
  int tries = 0;
  const auto failed = session.run([&](Transaction&) -> Result<int> {
    if (++tries == 1)
      throw PgFailure(PgFailure::Kind::CommitInDoubt, "connection lost while committing");
    return invalid_argument("refused");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(failed.error().message, "refused");
  EXPECT_TRUE(failed.error().maybe_done);
}

TEST_F(SessionTest, AfterStopNothingRuns) {
  Session session(options(std::chrono::seconds(20)), stop_);
  stop_.request();
  EXPECT_EQ(backend(session).error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace ba::storage
