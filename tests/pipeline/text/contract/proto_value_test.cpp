// SPDX-License-Identifier: Apache-2.0
// Vectors: Confluent's clients ([1,2,3] is 06 02 04 06; [0] is 00; v1 is 01 and a GUID).
#include "pipeline/text/contract/proto_value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

using namespace std::string_literals;

std::string payload_of(const std::string& bytes) {
  const auto payload = without_framing(bytes);
  return payload ? std::string(*payload) : "refused";
}

const std::string kGuid = "\x89\x79\x17\x62\x23\x36\x41\x86\x96\x74\x29\x9b\x90\xa8\x02\xe2"s;

TEST(Framing, BytesThatAreNotFramedStay) {
  EXPECT_EQ(payload_of(""), "");
  EXPECT_EQ(payload_of("{}"), "{}");
  EXPECT_EQ(payload_of("\x12\x01x"), "\x12\x01x");
}

TEST(Framing, IsTakenOff) {
  EXPECT_EQ(payload_of("\0\0\0\0\x07\0payload"s), "payload");
  EXPECT_EQ(payload_of("\0\0\0\0\x07\x02\0payload"s), "payload");
  EXPECT_EQ(payload_of("\0\0\0\0\x07\x06\x02\x04\x06payload"s), "payload");
  EXPECT_EQ(payload_of("\x01" + kGuid + "\x06\x02\x04\x06payload"s), "payload");
  EXPECT_EQ(payload_of("\0\0\0\0\x07 {}"s), " {}");
  EXPECT_EQ(payload_of("\x01" + kGuid + "{}"), "{}");
}

TEST(Framing, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(payload_of("\0"s), "refused");
  EXPECT_EQ(payload_of("\0\0\0\0\x07"s), "refused");
  EXPECT_EQ(payload_of("\x01" + kGuid), "refused");
  EXPECT_EQ(payload_of("\0\0\0\0\x07\x0a\x05hello"s), "refused");  // a negative index
  EXPECT_EQ(payload_of("\0\0\0\0\x07\x01payload"s), "refused");    // a negative count
  EXPECT_EQ(payload_of("\0\0\0\0\x07\x22\0"s), "refused");         // 17 indexes
  EXPECT_EQ(payload_of("\0\0\0\0\x07\x04\x02"s), "refused");       // cut off
  EXPECT_EQ(payload_of("\0\0\0\0\x07\xff\xff\xff\xff\xff\x01"s), "refused");
}

}  // namespace
}  // namespace ba
