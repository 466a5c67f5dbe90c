// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/intake_loop.hpp"

#include <gtest/gtest.h>

namespace ba::kafka {
namespace {

/// Of which nothing is due for its age.
KafkaIntakeOptions limits() {
  KafkaIntakeOptions options;
  options.batch_linger = Milliseconds(600'000);
  options.batch_records_max = 3;
  options.batch_bytes_max = 100;
  return options;
}

TEST(RecordBatch, IsDueOnceItHasItsRecords) {
  const KafkaIntakeOptions options = limits();
  RecordBatch batch(options);
  for (int i = 0; i < 2; ++i) batch.add({}, 1);
  EXPECT_FALSE(batch.due());
  batch.add({}, 1);
  EXPECT_TRUE(batch.due());
  EXPECT_EQ(batch.take().size(), 3u);
  EXPECT_FALSE(batch.due());
}

TEST(RecordBatch, IsDueOnceItHasItsBytesAndTakesOneRecordHoweverLong) {
  const KafkaIntakeOptions options = limits();
  RecordBatch batch(options);
  batch.add({}, 99);
  EXPECT_FALSE(batch.due());
  batch.add({}, 1);
  EXPECT_TRUE(batch.due());
  EXPECT_EQ(batch.take().size(), 2u);
  batch.add({}, 1);
  EXPECT_FALSE(batch.due()) << "what was taken counts no more";
  batch.add({}, 1'000'000);
  EXPECT_TRUE(batch.due());
}

TEST(RecordBatch, IsDueAfterItsLinger) {
  KafkaIntakeOptions options = limits();
  options.batch_linger = Milliseconds(0);
  RecordBatch batch(options);
  EXPECT_FALSE(batch.due());
  EXPECT_EQ(batch.patience(Milliseconds(50)), Milliseconds(50));
  batch.add({}, 1);
  EXPECT_TRUE(batch.due());
  EXPECT_EQ(batch.patience(Milliseconds(50)), Milliseconds(0));
}

}  // namespace
}  // namespace ba::kafka
