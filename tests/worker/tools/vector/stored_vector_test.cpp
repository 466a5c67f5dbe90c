// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/stored_vector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using ::testing::ElementsAre;

TEST(StoredVector, ReadsWhatTheServerWrites) {
  std::vector<double> numbers{9, 9, 9, 9};
  ASSERT_TRUE(read_stored_vector("{0.5,-1,1e-05}", 3, numbers));
  EXPECT_THAT(numbers, ElementsAre(0.5, -1, 1e-5));
  ASSERT_TRUE(read_stored_vector("{7}", 1, numbers));
  EXPECT_THAT(numbers, ElementsAre(7));
}

TEST(StoredVector, RefusesWhatIsNotThatManyFiniteNumbers) {
  std::vector<double> numbers;
  for (const char* text : {"",         "{",         "{}",          "{1}",          "{1,2,3}",
                           "{1,NULL}", "{NULL,1}",  "{1,NaN}",     "{Infinity,1}", "{1,-Infinity}",
                           "{{1,2}}",  "{{1},{2}}", "[0:1]={1,2}", "{1,2",         "1,2}",
                           "{1,}",     "{1,2,}",    "{1;2}",       "{1 2}",        "{a,b}"})
    EXPECT_FALSE(read_stored_vector(text, 2, numbers)) << text;
}

TEST(StoredVector, IsWrittenForPgvectorWithTheBytesOfAFloat) {
  EXPECT_EQ(pgvector_text({0.5, -1, 0.1, 1e-30}), "[0.5,-1,0.1,1e-30]");
  EXPECT_EQ(pgvector_text({0.1234567890123}), "[0.12345679]");
}

}  // namespace
}  // namespace ba
