// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/position.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(PositionIn, ReadsWhatMessageIdsAreMadeOf) {
  for (const char* name : {"job", "a/b", "job/7/3.2", "9"})
    for (const Position& at : {Position{0, 0, 0}, Position{3, 12, 0}, Position{11, 2, 41}}) {
      const JobId job{name};
      EXPECT_EQ(position_in(message_id(job, at), round_id(job, at.round)), at) << name;
    }
}

TEST(PositionIn, KnowsNothingOfOtherIds) {
  const std::pair<const char*, const char*> others[] = {
      {"job/0/1", ""},         {"job/0/1", "job"},      {"job/0/1", "job/1"},
      {"job/0/x", "job/0"},    {"job/0/", "job/0"},     {"job/0/1.", "job/0"},
      {"job/0/1.2x", "job/0"}, {"job/0/-1", "job/0"},   {"job/0/1/2", "job/0"},
      {"job/00/1", "job/0"},   {"inherited/3", "talk"}, {"job/0/99999999999", "job/0"}};
  for (const auto& [id, round] : others)
    EXPECT_FALSE(position_in(MessageId(id), round)) << id << ", " << round;
}

}  // namespace
}  // namespace ba
