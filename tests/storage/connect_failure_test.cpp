// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/connect_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUrl =
    "postgresql://u@db.example:5432/d?sslmode=verify-full&sslrootcert=/etc/ca.pem&"
    "sslcert=/etc/client.crt&sslkey=/etc/client.key";

struct Row {
  const char* account;
  TlsFault fault;
  const char* words;
};

// As libpq 15 writes them.
constexpr Row kRows[] = {
    {"connection to server at \"h\" (1.2.3.4), port 5432 failed: SSL error: certificate verify "
     "failed",
     TlsFault::Untrusted, "/etc/ca.pem"},
    {"connection to server at \"h\", port 1 failed: server certificate for \"other.example\" (and "
     "1 other name) does not match host name \"db.example\"",
     TlsFault::WrongHost, "other.example, not for db.example"},
    {"connection to server at \"h\", port 1 failed: server does not support SSL, but SSL was "
     "required",
     TlsFault::NoTls, "sslmode=verify-full demands it"},
    {"connection to server at \"h\", port 1 failed: root certificate file \"/etc/ca.pem\" does not "
     "exist\nEither provide the file or change sslmode",
     TlsFault::File, "/etc/ca.pem, is missing or can't be read: correct sslrootcert"},
    {"could not read certificate file \"/etc/client.crt\": no start line", TlsFault::File,
     "/etc/client.crt can't be used"},
    {"private key file \"/etc/client.key\" has group or world access; file must have permissions",
     TlsFault::File, "chmod 600 /etc/client.key"},
    {"FATAL:  connection requires a valid client certificate", TlsFault::ClientRefused,
     "refuses the client's certificate /etc/client.crt"},
    {"SSL error: tlsv1 alert unknown ca", TlsFault::ClientRefused, "/etc/client.crt"},
    {"SSL error: sslv3 alert certificate expired", TlsFault::ClientRefused, "renew it"},
    {"SSL error: tlsv1 alert protocol version", TlsFault::Handshake, "can't agree on TLS"}};

TEST(ConnectFailure, EachFaultOfTlsIsToldWithItsFileAndItsRemedy) {
  for (const Row& row : kRows) {
    const auto failure = tls_failure(row.account, kUrl);
    ASSERT_TRUE(failure) << row.account;
    EXPECT_EQ(failure->fault, row.fault) << row.account;
    EXPECT_THAT(failure->words, HasSubstr(row.words)) << row.account;
  }
}

TEST(ConnectFailure, WhatIsNoFaultOfTlsIsLeftToOthers) {
  for (const char* account :
       {"connection to server at \"h\", port 1 failed: Connection refused",
        "FATAL:  password authentication failed for user \"u\"", "server closed the connection"})
    EXPECT_FALSE(tls_failure(account, kUrl)) << account;
}

TEST(ConnectFailure, AClientWithoutACertificateIsToldWhatToSet) {
  const auto failure =
      tls_failure("FATAL:  connection requires a valid client certificate", "host=h");
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->words, HasSubstr("set sslcert and sslkey"));
}

TEST(ConnectFailure, AnAccountLosesItsPlaceAndWhatIsNoPlainName) {
  EXPECT_EQ(words_of_account("connection to server at \"a@b\" (1.2.3.4), port 1 failed: FATAL:  "
                             "database \"x@h/d\" does not exist\n"),
            "FATAL: database \"…\" does not exist");
  EXPECT_EQ(words_of_account("FATAL:  database \"sales\" does not exist"),
            "FATAL: database \"sales\" does not exist");
  EXPECT_EQ(words_of_account("could not open \"never closed"), "could not open \"…\"");
}

TEST(ConnectFailure, HowAConnectionIsProtectedIsToldByItsMode) {
  EXPECT_THAT(protection_words(true, kUrl), HasSubstr("certificate and host name verified"));
  EXPECT_THAT(protection_words(true, "host=h sslmode=require"), HasSubstr("not verified"));
  EXPECT_EQ(protection_words(false, "host=h"), "not encrypted");
  for (const char* local : {"host=/run/postgresql", "dbname=d", "postgresql:///d"})
    EXPECT_EQ(protection_words(false, local), "over a local socket") << local;
}

}  // namespace
}  // namespace ba::storage
