// SPDX-License-Identifier: Apache-2.0
#include "storage/conninfo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/migrate.hpp"

namespace ba {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

TEST(Conninfo, WhatLibpqReadsIsNoProblem) {
  for (const char* url :
       {"", "postgresql://u:p@h:5432/d?sslmode=require", "host=h password='a b'",
        "postgresql://h1:1,h2:2/d", "host=@abstract", "postgresql://u:p%40ss@[::1]/d"})
    EXPECT_EQ(conninfo_problem(url), std::nullopt) << url;
}

TEST(Conninfo, AProblemComesInLibpqsWordsWithoutThePassword) {
  EXPECT_THAT(
      conninfo_problem("postgresql://u:hunter2%zz@h/d"),
      Optional(AllOf(HasSubstr("invalid percent-encoded token"), Not(HasSubstr("hunter2")))));
  EXPECT_THAT(conninfo_problem("host=h password=a hunter2"),
              Optional(AllOf(HasSubstr("missing \"=\""), Not(HasSubstr("hunter2")))));
  EXPECT_THAT(conninfo_problem("postgresql://h/d?nosuch=hunter2"),
              Optional(Not(HasSubstr("hunter2"))));
  EXPECT_THAT(conninfo_problem("host=h password='hunter2"), Optional(Not(HasSubstr("hunter2"))));
}

TEST(Conninfo, APasswordThatIsNotEscapedIsToldAndNotShown) {
  EXPECT_THAT(conninfo_problem("postgresql://u:a@hunter2@h/d"),
              Optional(AllOf(HasSubstr("%40"), Not(HasSubstr("hunter2")))));
  EXPECT_THAT(conninfo_problem("postgresql://u:x hunter2@h/d"),
              Optional(AllOf(HasSubstr("%20"), Not(HasSubstr("hunter2")))));
}

TEST(Conninfo, APortIsANumberFrom1To65535) {
  EXPECT_THAT(conninfo_problem("postgresql://h:70000/d"), Optional(HasSubstr("port 70000")));
  EXPECT_THAT(conninfo_problem("host=h,i port=1,x"), Optional(HasSubstr("port x")));
}

TEST(Conninfo, ATargetNamesHostPortAndDatabase) {
  EXPECT_EQ(conninfo_target("postgresql://u:hunter2@db:6432/ba"), "db:6432/ba");
  EXPECT_EQ(conninfo_target("host=h dbname=d user=u password=p port=1"), "h:1/d");
  EXPECT_EQ(conninfo_target("postgresql://u:p%zz@h/d"), "");
}

TEST(Conninfo, AServerThatDoesNotAnswerIsNamedWithTheRemedy) {
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

}  // namespace
}  // namespace ba
