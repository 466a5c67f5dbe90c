// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/pg_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/migrate.hpp"
#include "storage/postgres/connection.hpp"

namespace ba::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Row {
  const char* sqlstate;
  ErrorCode code;
  Retry retry;
  bool repeated_here;
  bool blames_data;
};

constexpr Row kRows[] = {
    {"08007", ErrorCode::Timeout, Retry::Later, true, false},
    {"40003", ErrorCode::Timeout, Retry::Later, true, false},
    {"08006", ErrorCode::Unavailable, Retry::Later, true, false},
    {"08P01", ErrorCode::Protocol, Retry::Never, false, false},
    {"0A000", ErrorCode::Internal, Retry::Never, false, false},
    {"21000", ErrorCode::InvalidArgument, Retry::Never, false, true},
    {"22021", ErrorCode::InvalidArgument, Retry::Never, false, true},
    {"22P02", ErrorCode::InvalidArgument, Retry::Never, false, true},
    {"23502", ErrorCode::Conflict, Retry::Never, false, true},
    {"23505", ErrorCode::Conflict, Retry::Never, false, true},
    {"23514", ErrorCode::Conflict, Retry::Never, false, true},
    {"25006", ErrorCode::Unavailable, Retry::Later, false, false},
    {"25P04", ErrorCode::Timeout, Retry::Later, false, false},
    {"26000", ErrorCode::Protocol, Retry::Never, false, false},
    {"42P05", ErrorCode::Protocol, Retry::Never, false, false},
    {"44000", ErrorCode::InvalidArgument, Retry::Never, false, true},
    {"P0001", ErrorCode::InvalidArgument, Retry::Never, false, true},
    {"P0002", ErrorCode::Internal, Retry::Never, false, false},
    {"25P03", ErrorCode::Timeout, Retry::Later, true, false},
    {"28P01", ErrorCode::Authentication, Retry::Never, false, false},
    {"3D000", ErrorCode::NotFound, Retry::Never, false, false},
    {"3F000", ErrorCode::NotFound, Retry::Never, false, false},
    {"40001", ErrorCode::Unavailable, Retry::Later, true, false},
    {"40P01", ErrorCode::Unavailable, Retry::Later, true, false},
    {"42501", ErrorCode::PermissionDenied, Retry::Never, false, false},
    {"42601", ErrorCode::Internal, Retry::Never, false, false},
    {"42P01", ErrorCode::NotFound, Retry::Never, false, false},
    {"53100", ErrorCode::Unavailable, Retry::Later, false, false},
    {"53300", ErrorCode::Unavailable, Retry::Later, true, false},
    {"54000", ErrorCode::LimitExceeded, Retry::Never, false, true},
    {"55P03", ErrorCode::Unavailable, Retry::Later, true, false},
    {"57014", ErrorCode::Timeout, Retry::Later, false, false},
    {"57P01", ErrorCode::Unavailable, Retry::Later, true, false},
    {"57P03", ErrorCode::Unavailable, Retry::Later, true, false},
    {"58030", ErrorCode::Unavailable, Retry::Later, false, false},
    {"XX000", ErrorCode::Internal, Retry::Never, false, false},
    {"XX001", ErrorCode::Corrupt, Retry::Never, false, false},
    {"XX002", ErrorCode::Corrupt, Retry::Never, false, false},
    {"99999", ErrorCode::Internal, Retry::Never, false, false},
};

TEST(PgError, EverySqlstateHasItsMeaning) {
  for (const Row& row : kRows) {
    const Error error = error_of_sqlstate(row.sqlstate, "why\n");
    EXPECT_EQ(error.code, row.code) << row.sqlstate;
    EXPECT_EQ(error.retry, row.retry) << row.sqlstate;
    EXPECT_EQ(error.detail, row.sqlstate);
    EXPECT_EQ(error.message, "PostgreSQL: why");
    EXPECT_EQ(repeatable_here(error), row.repeated_here) << row.sqlstate;
    EXPECT_EQ(refuses_data(error), row.blames_data) << row.sqlstate;
    const std::string_view state = row.sqlstate;
    EXPECT_EQ(error.maybe_done, state == "08007" || state == "40003") << state;
  }
}

TEST(PgError, ALostConnectionIsRepeatedAndARefusedOneIsNot) {
  const Error lost =
      error_of_exception(PgFailure(PgFailure::Kind::Connection, "server closed the connection"));
  EXPECT_EQ(lost.code, ErrorCode::Unavailable);
  EXPECT_TRUE(repeatable_here(lost));
  EXPECT_FALSE(lost.maybe_done);
  for (const char* text :
       {"FATAL: password authentication failed for user \"ba\"", "no password supplied",
        "no pg_hba.conf entry for host \"::1\"", "FATAL: role \"ba\" does not exist",
        "FATAL: role \"ba\" is not permitted to log in"}) {
    const Error refused = error_of_connection(text);
    EXPECT_EQ(refused.code, ErrorCode::Authentication) << text;
    EXPECT_FALSE(repeatable_here(refused)) << text;
  }
  EXPECT_EQ(error_of_connection("FATAL: database \"x\" does not exist").code, ErrorCode::NotFound);
}

TEST(PgError, AnUnansweredCommitMayBeDoneAndIsRepeated) {
  for (const Error& error :
       {error_of_exception(
            PgFailure(PgFailure::Kind::CommitInDoubt, "connection lost while committing")),
        error_of_sqlstate("08007", "unknown"), error_of_sqlstate("40003", "unknown")}) {
    EXPECT_EQ(error.code, ErrorCode::Timeout) << error.message;
    EXPECT_TRUE(error.maybe_done) << error.message;
    EXPECT_TRUE(repeatable_here(error)) << error.message;
  }
}

TEST(PgError, AUrlThatCannotBeReadIsNotQuoted) {
  for (const char* text :
       {"missing \"=\" after \"secret\" in connection info string",
        "invalid port number: \"secret@host\"", "invalid URI query parameter: \"secret\"",
        "invalid connection option \"secret\"",
        "invalid integer value \"secret\" for connection option \"port\""}) {
    const Error error = error_of_connection(text);
    EXPECT_EQ(error.code, ErrorCode::InvalidArgument);
    EXPECT_EQ(error.message.find("secret"), std::string::npos) << error.message;
  }
}

TEST(PgError, AnotherExceptionIsOurBug) {
  EXPECT_EQ(error_of_exception(std::logic_error("oops")).code, ErrorCode::Internal);
}

TEST(PgError, AServerThatDoesNotAnswerIsNamedWithTheRemedy) {
  PgAccess access;
  access.url = "postgresql://u:hunter2@127.0.0.1:1/ledger";
  const auto status = schema_status(access);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("PostgreSQL 127.0.0.1:1/ledger: "), HasSubstr("Connection refused"),
                    HasSubstr("start the server, or correct postgres.url"),
                    Not(HasSubstr("hunter2")), Not(HasSubstr("\n"))));
}

TEST(PgError, AUrlThatIsNotCleanNeverReachesLibpq) {
  PgAccess access;
  access.url = "postgresql://worker:s3cr@tPart/9#Zq@127.0.0.1:1/db";
  const auto status = schema_status(access);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(status.error().retry, Retry::Never);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("postgres.url can't be used"), HasSubstr("@ %40"),
                    Not(HasSubstr("s3cr")), Not(HasSubstr("tPart"))));
}

}  // namespace
}  // namespace ba::storage
