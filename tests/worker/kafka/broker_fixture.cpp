// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/kafka/broker_fixture.hpp"

#include "worker/kafka/client.hpp"

namespace ba::kafka {

std::int64_t committed_offset(const KafkaOptions& options, const std::string& topic,
                              int partition) {
  ClientHooks hooks({});
  auto conf = make_conf(options, hooks, reader_settings(options));
  if (!conf) return -1;
  const auto client = make_client(RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return -1;
  const PartitionList list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
  if (rd_kafka_committed(client->get(), list.get(), 10'000) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return -1;
  return list->elems[0].offset < 0 ? -1 : list->elems[0].offset;
}

void delete_topics(const KafkaOptions& options) {
  std::vector<std::string> names;
  for (const TopicSpec& spec : wanted_topics(options)) names.push_back(spec.name);
  delete_topics(options, names);
}

void delete_topics(const KafkaOptions& options, const std::vector<std::string>& names) {
  ClientHooks hooks({});
  auto conf = make_conf(options, hooks, {});
  if (!conf) return;
  const auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return;
  std::vector<rd_kafka_DeleteTopic_t*> topics;
  for (const std::string& name : names) topics.push_back(rd_kafka_DeleteTopic_new(name.c_str()));
  const QueueHandle queue(rd_kafka_queue_new(client->get()));
  rd_kafka_DeleteTopics(client->get(), topics.data(), topics.size(), nullptr, queue.get());
  const EventHandle done(rd_kafka_queue_poll(queue.get(), 20'000));
  rd_kafka_DeleteTopic_destroy_array(topics.data(), topics.size());
}

}  // namespace ba::kafka
