#pragma once
// SPDX-License-Identifier: Apache-2.0
// A worker's side of Kafka. Owned by WorkerParts; control thread only.

#include <memory>
#include <string>
#include <vector>

#include "worker/driver/incarnation.hpp"
#include "worker/kafka/access_check.hpp"
#include "worker/kafka/kafka_shard_transport.hpp"
#include "worker/runtime/parts/worker_basis.hpp"

namespace ba::runtime {

/// Its clients' lines go to the worker's log.
kafka::KafkaOptions kafka_with_log(const config::Config& config, Log& log);

class KafkaParts final {
 public:
  explicit KafkaParts(WorkerBasis& basis) : basis_(basis) {}

  /// Waits for brokers that are out of reach; InvalidArgument for topics that can't be used.
  Result<void> check_topics();
  void build_transports();

  ShardTransports& transports() { return *used_; }
  MakeIntakeConsumer consumers();

 private:
  void tell_access(const std::vector<std::string>& lacks);

  WorkerBasis& basis_;
  std::unique_ptr<kafka::KafkaShardTransports> transports_;
  std::unique_ptr<ShardTransports> decorated_;  ///< none: no test has them
  ShardTransports* used_ = nullptr;
  std::string access_told_;  ///< of the watch's thread
  std::unique_ptr<kafka::AccessWatch> access_watch_;
};

}  // namespace ba::runtime
