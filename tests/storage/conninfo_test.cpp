// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/conninfo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/libpq/pg_url.hpp"
#include "tests/support/random_password.hpp"
#include "tests/support/test_seed.hpp"

namespace ba::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

TEST(Conninfo, WhatIsWrittenCleanlyIsNoProblem) {
  for (const char* url :
       {"", "postgresql://u:p@h:5432/d?sslmode=require", "host=h password='a b'",
        "postgresql://h1:1,h2:2/d", "host=@abstract", "postgresql://u:p%40ss@[::1]/d",
        "postgresql://u:a:b!$^&*()=+@h/d", "postgres:///d?host=/run/postgresql",
        "postgresql://u@%2Frun%2Fpostgresql/d", "postgresql://h",
        "postgresql://u@a,b:1/d?target_session_attrs=read-write&application_name=x%20y"})
    EXPECT_EQ(conninfo_problem(url), std::nullopt) << url;
}

TEST(Conninfo, AUrlWhosePasswordIsNotEscapedIsRefusedWithTheCodesOfTheCharacters) {
  for (const char* url :
       {"postgresql://u:hunter2/foo@host/db", "postgresql://u:hun@ter2@h/d",
        "postgresql://u:hunter2#x@h/d", "postgresql://u:hunter2?x@h/d",
        "postgresql://u:hunter2%zz@h/d", "postgresql://u:x hunter2@h/d",
        "postgresql://worker:s3cr@thunter2/9#Zq@127.0.0.1:1/db", "postgresql://u:hunter2",
        "postgresql://u:1/hunter2@h/d", "postgresql://u:p@h/d?application_name=hunter2@x"})
    EXPECT_THAT(conninfo_problem(url),
                Optional(AllOf(HasSubstr("/ is written %2F"), Not(HasSubstr("hunter2")),
                               Not(HasSubstr("s3cr")))))
        << url;
}

TEST(Conninfo, ABareQuestionMarkIsRefused) {
  for (const char* url : {"postgresql://h/d?", "postgresql://h/d?x", "postgresql://h?/d",
                          "postgresql://u:a?b@h/d", "postgresql://h/d?sslmode=require?x=y"})
    EXPECT_NE(conninfo_problem(url), std::nullopt) << url;
}

TEST(Conninfo, AKeywordStringThatLibpqRefusesIsToldInOurWords) {
  EXPECT_THAT(conninfo_problem("host=h password=a hunter2"),
              Optional(AllOf(HasSubstr("single quotes"), Not(HasSubstr("hunter2")))));
  EXPECT_THAT(conninfo_problem("host=h password='hunter2"),
              Optional(AllOf(HasSubstr("isn't closed"), Not(HasSubstr("hunter2")))));
  EXPECT_THAT(conninfo_problem("host=h hunter2=x"), Optional(Not(HasSubstr("hunter2"))));
  EXPECT_THAT(conninfo_problem("host=h sslmod=require"), Optional(HasSubstr("sslmode?")));
  EXPECT_THAT(conninfo_problem("postgresql://h/d?sslmod=require"), Optional(HasSubstr("sslmode?")));
  EXPECT_THAT(conninfo_problem("jdbc:postgresql://h/d?user=u"), Optional(HasSubstr("begins")));
}

TEST(Conninfo, AWordOfAClosedSetIsCheckedBeforeAnythingConnects) {
  EXPECT_THAT(conninfo_problem("postgresql://h/d?sslmode=verify-ful"),
              Optional(AllOf(HasSubstr("disable, allow, prefer, require, verify-ca, verify-full"),
                             HasSubstr("did you mean verify-full?"))));
  EXPECT_THAT(conninfo_problem("host=h sslmode=yes"), Optional(HasSubstr("sslmode must be")));
  EXPECT_THAT(conninfo_problem("host=h target_session_attrs=readwrite"),
              Optional(HasSubstr("read-write")));
}

TEST(Conninfo, APortIsANumberFrom1To65535) {
  EXPECT_THAT(conninfo_problem("postgresql://h:70000/d"), Optional(HasSubstr("1 to 65535")));
  EXPECT_THAT(conninfo_problem("host=h,i port=1,x"), Optional(HasSubstr("1 to 65535")));
}

TEST(Conninfo, WhatIsShownHasAMaskForThePasswordOrForAllThatIsNotClean) {
  const auto shown = [](const char* url) { return shown_conninfo(url, "***"); };
  EXPECT_EQ(shown("postgresql://u:hunter2@a:1,b/d?sslmode=require"),
            "postgresql://u:***@a:1,b/d?sslmode=require");
  EXPECT_EQ(shown("postgresql://h/d?password=hunter2&options=-c%20x"),
            "postgresql://h/d?password=***&options=***");
  EXPECT_EQ(shown("postgresql://u:hunter2/x@h/d"), "postgresql://***");
  EXPECT_EQ(shown("host=h password='hunter 2' dbname=d"), "password=*** dbname=d host=h");
  EXPECT_EQ(shown("host=h password=a hunter2"), "***");
  EXPECT_EQ(shown("hunter2"), "***");
}

std::string said_of(const std::string& url) {
  return conninfo_problem(url).value_or("") + "\n" + conninfo_target(url) + "\n" +
         shown_conninfo(url, "***") + "\n";
}

TEST(Conninfo, NoPartOfAnyPasswordIsInAProblemOrShown) {
  const auto seed = static_cast<unsigned>(test_seed());
  SCOPED_TRACE("BA_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string frames[][2] = {{"postgresql://u:", "@127.0.0.1:1/db"},
                                   {"postgresql://u:", "@a:1,b:2/db?sslmode=require"},
                                   {"postgres://127.0.0.1:1/db?user=u&password=", ""},
                                   {"postgres://127.0.0.1:1/db?password=", "&sslmode=require"},
                                   {"postgresql://u:", "@/"},
                                   {"host=127.0.0.1 port=1 user=u password=", " dbname=db"},
                                   {"host=127.0.0.1 password='", "' dbname=db"}};
  std::string known;  // what is said whatever the password
  for (const auto& [before, after] : frames)
    for (const char* one :
         {"x",   "x x", "x'x", "x'",  "x/x",   "x/1",   "x@x",  "x@",     "x#x", "x?x",
          "x%x", "x&x", "x=x", "x\\", "x x=x", "x@x:x", "x@[x", "x@[x]x", "x,x", "@x$"})
      known += before + after + said_of(before + one + after);
  for (int round = 0; round < 1000; ++round)
    for (const auto& [before, after] : frames) {
      const std::string password = random_password(random);
      for (const std::string& form : {password, percent_encoded(password)}) {
        const std::string said = said_of(before + form + after);
        EXPECT_EQ(leaked_part(said, form, known), "") << before + form + after << "\n" << said;
        EXPECT_EQ(leaked_part(said, password, known), "") << before + form + after << "\n" << said;
      }
    }
}

TEST(Conninfo, SettingsAreAddedWhereTheTextHasNoneAndWhateverItsForm) {
  EXPECT_EQ(conninfo_with("postgresql://u:p%27%5C@h/d", {{"connect_timeout", "5"}}),
            "user='u' password='p\\'\\\\' dbname='d' host='h' connect_timeout='5'");
  EXPECT_EQ(conninfo_with("host=h connect_timeout=2", {{"connect_timeout", "5"}}),
            "connect_timeout='2' host='h'");
}

}  // namespace
}  // namespace ba::storage
