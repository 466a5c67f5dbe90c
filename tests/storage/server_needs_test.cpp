// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/server_needs.hpp"

#include <gtest/gtest.h>

namespace ba::storage {
namespace {

TEST(ServerNeeds, AnOlderServerIsRefusedWithBothVersions) {
  EXPECT_FALSE(unfit_version(150000));
  EXPECT_FALSE(unfit_version(180004));
  const auto unfit = unfit_version(140023);
  ASSERT_TRUE(unfit);
  EXPECT_EQ(unfit->code, ErrorCode::Conflict);
  EXPECT_EQ(unfit->retry, Retry::Never);
  EXPECT_EQ(unfit->message,
            "PostgreSQL: the server has version 14.23, the ledger needs PostgreSQL 15 or newer: "
            "upgrade the server, or correct postgres.url");
}

TEST(ServerNeeds, AnyOtherEncodingThanUtf8IsRefused) {
  EXPECT_FALSE(unfit_encoding("UTF8"));
  for (const char* encoding : {"LATIN1", "SQL_ASCII", "WIN1252", "EUC_JP", "MULE_INTERNAL"}) {
    const auto unfit = unfit_encoding(encoding);
    ASSERT_TRUE(unfit) << encoding;
    EXPECT_EQ(unfit->code, ErrorCode::Conflict);
    EXPECT_NE(unfit->message.find("the database has the encoding " + std::string(encoding)),
              std::string::npos)
        << unfit->message;
  }
}

}  // namespace
}  // namespace ba::storage
