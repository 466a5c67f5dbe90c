#pragma once
// SPDX-License-Identifier: Apache-2.0
// Everything configurable about Kafka, and the names of the topics. Values; filled in by the
// configuration, checked by validate() before any client is made.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba::kafka {

struct KafkaTopics {
  JobTopics jobs{"ba.jobs.high", "ba.jobs", "ba.jobs.batch"};
  std::string results = "ba.results";
  std::string metrics = "ba.metrics";
  std::string dead_letters = "ba.dead-letters";
  std::string progress = "ba.progress";
  std::string receipts = "ba.outbox-receipts";  ///< compacted, one partition for each outbox shard

  friend bool operator==(const KafkaTopics&, const KafkaTopics&) = default;
};

/// What to do with a partition whose ledger offset is outside of its log: it was truncated,
/// recreated, or its records expired before they were read.
enum class OutOfRange { Stop, Earliest };

struct KafkaIntakeOptions {
  OutOfRange on_offset_out_of_range = OutOfRange::Stop;
  int fetch_records_min = 1'000;            ///< what librdkafka keeps fetched ahead
  int fetch_kilobytes_max = 16 * 1024;      ///< bound of what is fetched ahead
  int record_bytes_max = 8 * 1024 * 1024;   ///< one fetch; a single longer record still arrives
  int batch_records_max = 500;              ///< handed over at once
  int batch_bytes_max = 4 * 1024 * 1024;    ///< handed over at once, beyond the first record
  Milliseconds batch_linger{5};             ///< a record waits this long for company
  int outstanding_records_max = 2'000;      ///< handed over and not yet acknowledged
  int outstanding_bytes_max = 64 << 20;     ///< likewise
  Milliseconds commit_interval{200};        ///< between two commits of offsets to Kafka
  Milliseconds poll_interval_max{600'000};  ///< the broker's patience (max.poll.interval.ms)
  Milliseconds session_timeout{10'000};
};

struct KafkaOutboxOptions {
  std::string transactional_id_prefix = "ba-agent-outbox";  ///< "<prefix>-<shard>"
  Milliseconds transaction_timeout{30'000};
  Milliseconds linger{2};
  std::string compression = "lz4";     ///< none, gzip, snappy, lz4, zstd
  Encoding encoding = Encoding::Json;  ///< of results, metrics reports and progress events
  int record_bytes_max = 16 * 1024 * 1024;
};

struct KafkaTopicSettings {
  int job_partitions = 12;     ///< of each lane
  int result_partitions = 12;  ///< of results, metrics and progress
  int shards = 16;             ///< outbox shards: partitions of the receipts topic
  int replication = 0;         ///< 0: three, or as many as there are brokers
  Milliseconds results_retention{std::chrono::hours(24 * 14)};
  int record_bytes_max = 16 * 1024 * 1024;  ///< max.message.bytes
};

/// Where librdkafka's own log lines go. Called from any thread; must not block.
using KafkaLog = std::function<void(int syslog_level, std::string_view text)>;

struct KafkaOptions {
  std::string brokers;  ///< "host:port,host:port"
  std::string client_id = "ba-agent";
  std::string group_id = "ba-agent";
  KafkaTopics topics;
  KafkaIntakeOptions intake;
  KafkaOutboxOptions outbox;
  KafkaTopicSettings topic_settings;
  bool progress = true;                  ///< whether progress events are published, best effort
  Milliseconds request_timeout{15'000};  ///< of administrative and command-line calls
  /// Any librdkafka property, for security above all. Their values appear in no log and no error,
  /// but for sasl.username where a right is missing.
  std::map<std::string, std::string> properties;
  KafkaLog log;
};

/// What is wrong, but for the bounds of single numbers: a property that would break a guarantee
/// (transactional.id, isolation.level, …), two topics of one name. Brokers may be missing.
std::vector<SettingProblem> problems_of(const KafkaOptions& options);

/// InvalidArgument with the first of them, or where brokers are missing.
Result<void> validate(const KafkaOptions& options);

/// What librdkafka itself says of each property, without its value: name and what is wrong. Empty:
/// it takes them all. Makes no client and opens no connection.
std::vector<std::pair<std::string, std::string>> refused_properties(
    const std::map<std::string, std::string>& properties);

/// "<prefix>-<shard>".
std::string transactional_id(const KafkaOutboxOptions& options, int shard);

}  // namespace ba::kafka
