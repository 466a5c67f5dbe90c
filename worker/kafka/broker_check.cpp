// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/broker_check.hpp"

#include "worker/kafka/client.hpp"

namespace ba {

Result<BrokerReport> check_brokers(const KafkaOptions& options, Milliseconds timeout) {
  if (auto checked = validate(options); !checked) return checked.error();
  ClientHooks hooks(options.log);
  auto conf = make_conf(options, hooks, {});
  if (!conf) return conf.error();
  auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return client.error();
  if (auto answered = await_brokers(**client, hooks, options); !answered) return answered.error();
  const rd_kafka_metadata_t* raw = nullptr;
  const auto code =
      rd_kafka_metadata(client->get(), 1, nullptr, &raw, static_cast<int>(timeout.count()));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return to_error(failure_of(code), "asking " + options.brokers + " for its brokers");
  const MetadataHandle metadata(raw);
  BrokerReport report;
  report.topics = metadata->topic_cnt;
  for (int i = 0; i < metadata->broker_cnt; ++i) {
    const rd_kafka_metadata_broker_t& broker = metadata->brokers[i];
    report.brokers.push_back(std::to_string(broker.id) + " " + broker.host + ":" +
                             std::to_string(broker.port));
  }
  return report;
}

}  // namespace ba
