#pragma once
// SPDX-License-Identifier: Apache-2.0
// Puts records on a topic from the command line (`submit`) and from benchmarks: idempotent, not
// transactional, in order per key. Blocking; one thread at a time.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

struct OutgoingRecord {
  std::string topic;
  std::optional<std::string> key;
  std::string value;
  Headers headers;
};

class JobProducer {
 public:
  static Result<std::unique_ptr<JobProducer>> create(const KafkaOptions& options);
  virtual ~JobProducer() = default;

  /// Returns once every in-sync replica has the record. The value says where it stands.
  Result<RecordSource> send(OutgoingRecord record);

  /// Many at once, in order; one answer for each: NotFound where the topic isn't there. Waits at
  /// most the request timeout after the last.
  virtual std::vector<Result<RecordSource>> send_all(std::vector<OutgoingRecord> records) = 0;
};

}  // namespace ba::kafka
