// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/rows.hpp"

#include <gtest/gtest.h>

namespace ba::storage {

TEST(Bytea, HexReadsBackAllBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(bytes_of_hex(hex_of_bytes(bytes)), bytes);
  EXPECT_EQ(hex_of_bytes("ab\xff"), "\\x6162ff");
}

TEST(Bytea, WhatIsNotHexIsEmpty) {
  EXPECT_EQ(bytes_of_hex(""), "");
  EXPECT_EQ(bytes_of_hex("plain"), "");
}

}  // namespace ba::storage
