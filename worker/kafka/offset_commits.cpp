// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/offset_commits.hpp"

namespace ba {

void OffsetCommits::send(rd_kafka_t& client, bool now) {
  if (waiting_.empty()) return;
  if (!now && SteadyClock::now() < sent_at_ + interval_) return;
  const PartitionList list = make_partition_list();
  for (const auto& [key, next] : waiting_) add_to(list, key).offset = next;
  waiting_.clear();
  sent_at_ = SteadyClock::now();
  if (rd_kafka_commit(&client, list.get(), 1) == RD_KAFKA_RESP_ERR_NO_ERROR) ++under_way_;
}

bool OffsetCommits::answered(rd_kafka_resp_err_t code) {
  if (under_way_ > 0) --under_way_;
  return code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET &&
         judge(failure_of(code)).step != KafkaStep::DropPartitions;
}

}  // namespace ba
