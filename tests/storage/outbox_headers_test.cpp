// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "storage/ledger/outbox_rows.hpp"

namespace ba::storage {

TEST(OutboxHeaders, StandAsReadableJsonInOrder) {
  EXPECT_EQ(headers_to_json({{"b", "1"}, {"a", "2"}, {"b", "3"}}),
            R"([["b","1"],["a","2"],["b","3"]])");
  EXPECT_EQ(headers_to_json({}), "[]");
}

TEST(OutboxHeaders, AnyBytesComeBack) {
  const Headers headers{{"name", "plain \"text\" \\ é"},
                        {"\xff\xfe", std::string("\0\x01", 2)},
                        {"", ""},
                        {"hex", "\\x00"}};
  EXPECT_EQ(headers_from_json(headers_to_json(headers)), headers);
}

}  // namespace ba::storage
