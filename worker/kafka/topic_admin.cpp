// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/topic_admin.hpp"

#include <algorithm>
#include <array>

namespace ba::kafka {
namespace {

using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, Destroyer<rd_kafka_NewTopic_destroy>>;
using ConfigResource =
    std::unique_ptr<rd_kafka_ConfigResource_t, Destroyer<rd_kafka_ConfigResource_destroy>>;

constexpr int kReplicationWanted = 3;

class Admin final : public TopicAdmin {
 public:
  Admin(const KafkaOptions& options, std::unique_ptr<ClientHooks> hooks, ClientHandle client)
      : options_(options),
        hooks_(std::move(hooks)),
        client_(std::move(client)),
        queue_(rd_kafka_queue_new(client_.get())) {}

  Result<std::set<std::string>> create(const std::vector<TopicSpec>& specs) override {
    auto metadata = load_metadata();
    if (!metadata) return metadata.error();
    const std::set<std::string> there = names_in(**metadata);
    std::set<std::string> created;
    std::vector<NewTopic> topics;
    for (const TopicSpec& spec : specs) {
      if (there.contains(spec.name)) continue;
      auto topic = describe_new(spec, (*metadata)->broker_cnt);
      if (!topic) return topic.error();
      topics.push_back(std::move(*topic));
      created.insert(spec.name);
    }
    if (topics.empty()) return created;
    if (auto done = request_creation(topics); !done) return done.error();
    return wait_until_shown(std::move(created));
  }

  Result<std::map<std::string, FoundTopic>> describe(
      const std::vector<std::string>& names) override {
    auto described = describe_topics(*client_, names, options_.request_timeout);
    if (!described) return described.error();
    std::map<std::string, FoundTopic> found;
    for (const auto& [name, topic] : *described) {
      FoundTopic& one = found[name];
      one.described = topic;
      if (auto done = load_config(name, one); !done) return done.error();
    }
    std::erase_if(found, [](const auto& entry) { return entry.second.gone; });
    return found;
  }

 private:
  int timeout_ms() const { return static_cast<int>(options_.request_timeout.count()); }

  Result<MetadataHandle> load_metadata() {
    const rd_kafka_metadata_t* metadata = nullptr;
    const auto code = rd_kafka_metadata(client_.get(), 1, nullptr, &metadata, timeout_ms());
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return to_error(failure_of(code), "asking " + options_.brokers + " for its topics");
    return MetadataHandle(metadata);
  }

  static std::set<std::string> names_in(const rd_kafka_metadata_t& metadata) {
    std::set<std::string> names;
    for (int i = 0; i < metadata.topic_cnt; ++i) names.insert(metadata.topics[i].topic);
    return names;
  }

  /// Topics that can be used: every partition has a leader.
  static std::set<std::string> led_in(const rd_kafka_metadata_t& metadata) {
    std::set<std::string> names;
    for (int i = 0; i < metadata.topic_cnt; ++i) {
      const rd_kafka_metadata_topic_t& topic = metadata.topics[i];
      const rd_kafka_metadata_partition_t* begin = topic.partitions;
      const rd_kafka_metadata_partition_t* end = begin + topic.partition_cnt;
      if (topic.partition_cnt > 0 &&
          std::all_of(begin, end, [](const auto& partition) { return partition.leader >= 0; }))
        names.insert(topic.topic);
    }
    return names;
  }

  Result<NewTopic> describe_new(const TopicSpec& spec, int brokers) {
    const int configured = options_.topic_settings.replication;
    const int replication = configured > 0 ? configured : std::min(kReplicationWanted, brokers);
    std::array<char, 512> reason{};
    NewTopic topic(rd_kafka_NewTopic_new(spec.name.c_str(), spec.partitions, replication,
                                         reason.data(), reason.size()));
    if (!topic) return invalid_argument("kafka topic " + spec.name + ": " + reason.data());
    for (const auto& [name, value] : spec.config)
      rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str());
    // What is committed must outlive the broker that took it; of three replicas one may be away.
    if (replication >= kReplicationWanted)
      rd_kafka_NewTopic_set_config(topic.get(), "min.insync.replicas", "2");
    return topic;
  }

  AdminOptions make_options(rd_kafka_admin_op_t operation) {
    return make_admin_options(*client_, operation, options_.request_timeout);
  }

  Result<EventHandle> await_event(const std::string& what) {
    return await_answer(*queue_, options_.request_timeout, what);
  }

  Result<void> request_creation(const std::vector<NewTopic>& topics) {
    std::vector<rd_kafka_NewTopic_t*> raw;
    for (const NewTopic& topic : topics) raw.push_back(topic.get());
    const AdminOptions options = make_options(RD_KAFKA_ADMIN_OP_CREATETOPICS);
    rd_kafka_CreateTopics(client_.get(), raw.data(), raw.size(), options.get(), queue_.get());
    auto event = await_event("creating topics");
    if (!event) return event.error();
    std::size_t count = 0;
    const rd_kafka_topic_result_t** results = rd_kafka_CreateTopics_result_topics(
        rd_kafka_event_CreateTopics_result(event->get()), &count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto code = rd_kafka_topic_result_error(results[i]);
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
        continue;
      const char* text = rd_kafka_topic_result_error_string(results[i]);
      const std::string name = rd_kafka_topic_result_name(results[i]);
      return with_lack(to_error(failure_of(code, text ? text : ""), "creating topic " + name),
                       {KafkaResource::Topic, name, KafkaOperation::Create}, options_);
    }
    return {};
  }

  /// A topic is created before brokers know it and its partitions have leaders.
  Result<std::set<std::string>> wait_until_shown(std::set<std::string> created) {
    const auto give_up = std::chrono::steady_clock::now() + options_.request_timeout;
    while (true) {
      auto metadata = load_metadata();
      if (!metadata) return metadata.error();
      const std::set<std::string> there = led_in(**metadata);
      if (std::includes(there.begin(), there.end(), created.begin(), created.end())) return created;
      if (std::chrono::steady_clock::now() > give_up) return never_shown(created);
      const EventHandle nothing(rd_kafka_queue_poll(queue_.get(), 50));
    }
  }

  /// They may be there and not for this client to see.
  Error never_shown(const std::set<std::string>& created) {
    const auto found =
        describe_topics(*client_, {created.begin(), created.end()}, options_.request_timeout);
    for (const std::string& name : created)
      if (found && found->contains(name) && found->at(name).hidden)
        return with_lack(to_error(failure_of(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED),
                                  "waiting for created topic " + name),
                         {KafkaResource::Topic, name, KafkaOperation::Describe}, options_);
    return to_error(failure_of(RD_KAFKA_RESP_ERR__TIMED_OUT), "waiting for created topics");
  }

  Result<void> load_config(const std::string& name, FoundTopic& topic) {
    const ConfigResource resource(
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
    rd_kafka_ConfigResource_t* raw = resource.get();
    const AdminOptions options = make_options(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_DescribeConfigs(client_.get(), &raw, 1, options.get(), queue_.get());
    const std::string what = "asking for the settings of topic " + name;
    auto event = await_event(what);
    if (!event) return event.error();
    std::size_t count = 0;
    const rd_kafka_ConfigResource_t** results = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event->get()), &count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto code = rd_kafka_ConfigResource_error(results[i]);
      topic.settings_hidden = code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
      topic.gone = code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
      if (topic.settings_hidden || topic.gone) return {};
      if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return to_error(failure_of(code), what);
      std::size_t entries = 0;
      const rd_kafka_ConfigEntry_t** entry = rd_kafka_ConfigResource_configs(results[i], &entries);
      for (std::size_t j = 0; j < entries; ++j) {
        const char* value = rd_kafka_ConfigEntry_value(entry[j]);
        topic.config[rd_kafka_ConfigEntry_name(entry[j])] = value ? value : "";
      }
    }
    return {};
  }

  const KafkaOptions options_;
  std::unique_ptr<ClientHooks> hooks_;
  ClientHandle client_;
  QueueHandle queue_;
};

}  // namespace

Result<std::unique_ptr<TopicAdmin>> TopicAdmin::connect(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  auto hooks = std::make_unique<ClientHooks>(options.log);
  auto client = make_client(RD_KAFKA_PRODUCER, options, *hooks, {});
  if (!client) return client.error();
  if (auto answered = await_brokers(**client, *hooks, options); !answered) return answered.error();
  return std::unique_ptr<TopicAdmin>(
      std::make_unique<Admin>(options, std::move(hooks), std::move(*client)));
}

}  // namespace ba::kafka
