#pragma once
// SPDX-License-Identifier: Apache-2.0
// Sections `worker`, `outbox`, `retention` and `http`: the life of one worker process, and what it
// does beside jobs. Values.

#include <string>

#include "pipeline/base/time.hpp"
#include "pipeline/core/ledger/retention.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::config {

struct WorkerConfig {
  std::string name;            ///< for people; default: the host's name
  Milliseconds lease{10'000};  ///< after this long without a sign of life a worker is dead
  Milliseconds renew_interval{2'500};
  Milliseconds reap_interval{2'000};
  Milliseconds claim_interval{500};  ///< how often to look for ready jobs when nothing arrives
  Milliseconds drain_grace{20'000};  ///< how long a SIGTERM waits for running steps

  friend bool operator==(const WorkerConfig&, const WorkerConfig&) = default;
};

/// Of this machine; "worker" where it has none.
std::string host_name();

void read_worker(settings::SectionReader& in, WorkerConfig& worker);

/// How results leave the ledger for Kafka.
struct OutboxConfig {
  int shards = 16;  ///< of the whole installation, the same for all workers; only ever raise it
  Milliseconds linger{100};          ///< how long a shard gathers records for one transaction
  int batch_records_max = 1000;      ///< records of one transaction
  Milliseconds own_interval{2'000};  ///< how often a worker takes its share of the shards

  friend bool operator==(const OutboxConfig&, const OutboxConfig&) = default;
};

void read_outbox(settings::SectionReader& in, OutboxConfig& outbox);

/// How long the ledger keeps what is done with.
struct RetentionConfig {
  RetentionRules rules;
  Milliseconds interval{60'000};  ///< between two looks for what is old enough

  friend bool operator==(const RetentionConfig&, const RetentionConfig&) = default;
};

void read_retention(settings::SectionReader& in, RetentionConfig& retention);

/// Where /metrics, /healthz and /readyz are served.
struct HttpConfig {
  bool enabled = true;
  std::string address = "127.0.0.1";  ///< an IP address; 0.0.0.0 or :: for every interface
  int port = 0;                       ///< 0: a free one, which the log names

  friend bool operator==(const HttpConfig&, const HttpConfig&) = default;
};

void read_http(settings::SectionReader& in, HttpConfig& http);

}  // namespace ba::config
