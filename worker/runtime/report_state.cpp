// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/report_state.hpp"

#include <array>

namespace ba {
namespace {

constexpr std::array<Lane, 3> kLanes{Lane::High, Lane::Normal, Lane::Batch};

struct LaneIntake {
  std::int64_t lag = 0;
  bool paused = false;
};

std::array<LaneIntake, 3> by_lane(const IntakeState& intake, const KafkaTopics& topics) {
  std::array<LaneIntake, 3> lanes{};
  for (const PartitionLag& partition : intake.partitions) {
    const auto lane = lane_of_topic(topics.jobs, partition.topic);
    if (!lane) continue;
    LaneIntake& sum = lanes[static_cast<std::size_t>(*lane)];
    sum.lag += partition.lag;
    sum.paused = sum.paused || partition.paused;
  }
  return lanes;
}

/// Empty: nothing is known to be in the way.
std::string why_not_publishing(const LifeState& state) {
  if (state.publisher.shards_stopped > 0)
    return "a shard is stopped: `ba-agent outbox verify` says why and what to do";
  if (state.publishing_contested)
    return "somebody else publishes as shards of this worker: give each installation its own "
           "kafka.publisher.transactional_id_prefix";
  return state.publishing_denied.empty() ? state.closed_topics : state.publishing_denied;
}

}  // namespace

void report_health(const LifeState& state, const std::string& hindrance, Health& health) {
  const char* plain =
      state.entered ? "the last intake or claim failed" : "not entered in the ledger";
  health.set("postgres", state.entered && state.ledger_ok && hindrance.empty(),
             hindrance.empty() ? plain : hindrance);
  health.set("kafka", state.intake.assigned && state.kafka_connected,
             state.kafka_connected ? "not yet a member of the group" : "no broker answers");
  const std::string publishing = why_not_publishing(state);
  health.set("outbox", publishing.empty(), publishing);
  health.set("intake", !state.draining, "draining");
}

void report_metrics(const LifeState& state, const KafkaTopics& topics, Metrics& metrics) {
  metrics.jobs_in_progress(state.running);
  metrics.jobs_waiting(state.waiting);
  metrics.rebalances(state.intake.rebalances);
  metrics.outbox_shards_owned(state.publisher.shards_owned);
  metrics.producers_opened(state.publisher.opens);
  const auto lanes = by_lane(state.intake, topics);
  for (const Lane lane : kLanes) {
    metrics.consumer_lag(lane, lanes[static_cast<std::size_t>(lane)].lag);
    metrics.paused(lane, lanes[static_cast<std::size_t>(lane)].paused);
  }
}

}  // namespace ba
