#pragma once
// SPDX-License-Identifier: Apache-2.0
// librdkafka's handles as owners, and how a client is configured. Inside worker/kafka only: the
// one header here that shows the library's types.

#include <librdkafka/rdkafka.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/core/intake/raw_record.hpp"
#include "worker/kafka/kafka_errors.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

template <auto Destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};

struct ClientDestroyer {
  /// A consumer that should leave its group was closed before; one that never joined has no need.
  void operator()(rd_kafka_t* client) const {
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
};

using ClientHandle = std::unique_ptr<rd_kafka_t, ClientDestroyer>;
using ConfHandle = std::unique_ptr<rd_kafka_conf_t, Destroyer<rd_kafka_conf_destroy>>;
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      Destroyer<rd_kafka_topic_partition_list_destroy>>;
using MessageHandle = std::unique_ptr<rd_kafka_message_t, Destroyer<rd_kafka_message_destroy>>;
using HeadersHandle = std::unique_ptr<rd_kafka_headers_t, Destroyer<rd_kafka_headers_destroy>>;
using ErrorHandle = std::unique_ptr<rd_kafka_error_t, Destroyer<rd_kafka_error_destroy>>;
using QueueHandle = std::unique_ptr<rd_kafka_queue_t, Destroyer<rd_kafka_queue_destroy>>;
using EventHandle = std::unique_ptr<rd_kafka_event_t, Destroyer<rd_kafka_event_destroy>>;
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, Destroyer<rd_kafka_topic_destroy>>;

struct MetadataDestroyer {
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
};
using MetadataHandle = std::unique_ptr<const rd_kafka_metadata_t, MetadataDestroyer>;

/// What a client calls back; its own thread for log(), the polling thread for the others. Outlives
/// the client.
class ClientHooks {
 public:
  explicit ClientHooks(KafkaLog log) : log_(std::move(log)) {}
  virtual ~ClientHooks() = default;

  void log(int level, const char* facility, const char* text) const;
  virtual void on_error(const KafkaFailure& failure);
  virtual void on_delivery(const rd_kafka_message_t&) {}
  virtual void on_rebalance(rd_kafka_resp_err_t, rd_kafka_topic_partition_list_t*) {}
  virtual void on_commit(rd_kafka_resp_err_t) {}

  /// What the library last said of a broker; code 0: nothing. Polling thread.
  const KafkaFailure& last_failure() const { return last_failure_; }

  /// Its last line in the log that says that client and listener speak different protocols, of
  /// which it makes no error; empty: there was none. Any thread.
  std::string protocol_mismatch() const;

 private:
  KafkaLog log_;
  KafkaFailure last_failure_;
  mutable std::mutex mutex_;
  mutable std::string mismatch_;  ///< under the mutex
};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// A configuration with what every client has, then `settings`, then the user's properties.
Result<ConfHandle> make_conf(const KafkaOptions& options, ClientHooks& hooks,
                             const Settings& settings);

/// `conf` is used up in either case.
Result<ClientHandle> make_client(rd_kafka_type_t type, ConfHandle conf);

/// One with such a configuration.
Result<ClientHandle> make_client(rd_kafka_type_t type, const KafkaOptions& options,
                                 ClientHooks& hooks, const Settings& settings);

/// How long await_brokers() waits, where the request time-out isn't shorter.
inline constexpr Milliseconds kBrokerPatience{5'000};

/// Returns once some broker answers a client that was just made; else the error names the brokers,
/// the library's reason and the remedy. Unavailable, or Authentication where that is the reason.
Result<void> await_brokers(rd_kafka_t& client, const ClientHooks& hooks,
                           const KafkaOptions& options);

/// Settings of a consumer that reads committed records by assignment and joins no group.
Settings reader_settings(const KafkaOptions& options);

KafkaFailure failure_of(const rd_kafka_error_t& error);
KafkaFailure failure_of(rd_kafka_resp_err_t code, std::string text = {});

HeadersHandle make_headers(const Headers& headers);

/// Copies everything, so that the message and its fetch buffer can go.
RawRecord to_raw_record(const rd_kafka_message_t& message);

/// Appends the record to the producer's queue. `opaque` comes back with the delivery report.
rd_kafka_resp_err_t produce(rd_kafka_t& client, const std::string& topic, int partition,
                            const std::string* key, const std::string& value,
                            const Headers& headers, void* opaque = nullptr);

struct Watermarks {
  std::int64_t low = 0;   ///< the oldest offset there is
  std::int64_t high = 0;  ///< one past the newest
};

/// Asks again while the broker is busy (a topic that was just created has no leader for a moment).
Result<Watermarks> query_watermarks(rd_kafka_t& client, const std::string& topic, int partition,
                                    Milliseconds timeout);

/// Names the current thread for debuggers and top; at most 15 characters count.
void name_this_thread(const std::string& name);

}  // namespace ba::kafka
