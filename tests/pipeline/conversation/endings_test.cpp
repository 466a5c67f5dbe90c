// SPDX-License-Identifier: Apache-2.0
#include "pipeline/conversation/endings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "pipeline/contract/dead_letter_code.hpp"

namespace ba {
namespace {

TEST(Endings, OfAJobThatCannotBeRunHaveTheCodesOfTheContract) {
  std::set<std::string> codes = {endings::poisoned(3).error.code,
                                 endings::unreadable_job({}, {}).error.code};
  // What the ledger says of rows that can't be read, see JobRunner.
  for (const ErrorCode code :
       {ErrorCode::Corrupt, ErrorCode::InvalidArgument, ErrorCode::NotFound}) {
    Error error;
    error.code = code;
    codes.insert(endings::internal(error).error.code);
  }
  EXPECT_EQ(codes, std::set<std::string>(kJobCodes.begin(), kJobCodes.end()));
}

}  // namespace
}  // namespace ba
