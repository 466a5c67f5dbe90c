// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/failed_server.hpp"

#include <gtest/gtest.h>

namespace ba::storage {
namespace {

constexpr const char* kWords = "certificate verify failed";

struct Row {
  const char* account;
  const char* url;
  FailedServer server;
};

// As libpq 15 writes them.
const Row kRows[] = {
    {"connection to server at \"db.example\" (10.0.0.7), port 5433 failed: SSL error: certificate "
     "verify failed\n",
     "postgresql://u@db.example:5433/d",
     {"db.example", "10.0.0.7", "5433"}},
    {"connection to server at \"10.0.0.7\", port 5432 failed: SSL error: certificate verify failed",
     "postgresql://u@10.0.0.7/d",
     {"10.0.0.7", "10.0.0.7", "5432"}},
    {"connection to server at \"a.example\" (10.0.0.1), port 1 failed: Connection refused\n\tIs "
     "the "
     "server running on that host and accepting TCP/IP connections?\nconnection to server at "
     "\"b.example\" (::1), port 2 failed: SSL error: certificate verify failed\n",
     "host=a.example,b.example port=1,2",
     {"b.example", "::1", "2"}},
    {"connection to server at \"10.0.0.2\", port 5432 failed: SSL error: certificate verify failed",
     "host=a.example,b.example hostaddr=10.0.0.1,10.0.0.2",
     {"b.example", "10.0.0.2", "5432"}}};

TEST(FailedServer, IsTheOneThatTheWordsStandBehind) {
  for (const Row& row : kRows) {
    const auto server = server_that_failed(row.account, kWords, row.url);
    ASSERT_TRUE(server) << row.account;
    EXPECT_EQ(*server, row.server) << row.account;
  }
}

TEST(FailedServer, IsNoneWhereTheAccountNamesNone) {
  for (const char* account :
       {"", "certificate verify failed",
        "connection to server at \"h\" (1.2.3.4), port 1 failed: Connection refused",
        "connection to server on socket \"/tmp/.s\" failed: certificate verify failed",
        "connection to server at \"h\" (1.2.3.4 certificate verify failed"})
    EXPECT_FALSE(server_that_failed(account, kWords, "postgresql://u@h/d")) << account;
}

TEST(FailedServer, IsNamedInAHandshakeByItsNameAloneAndWhereThatIsWanted) {
  const std::string url = "host=h";
  EXPECT_EQ(name_for_handshake({"db.example", "10.0.0.7", "1"}, url), "db.example");
  EXPECT_EQ(name_for_handshake({"10.0.0.7", "10.0.0.7", "1"}, url), "");
  EXPECT_EQ(name_for_handshake({"::1", "::1", "1"}, url), "");
  EXPECT_EQ(name_for_handshake({"db.example", "10.0.0.7", "1"}, url + " sslsni=0"), "");
}

}  // namespace
}  // namespace ba::storage
