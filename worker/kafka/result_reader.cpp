// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/result_reader.hpp"

#include <algorithm>
#include <map>

#include "worker/kafka/client.hpp"
#include "worker/kafka/needed_rights.hpp"

namespace ba::kafka {
namespace {

using SteadyClock = std::chrono::steady_clock;
using PartitionKey = std::pair<std::string, int>;

struct Place {
  std::int64_t next = 0;
  bool at_end = false;
};

class Reader final : public ResultReader {
 public:
  explicit Reader(const KafkaOptions& options) : options_(options), hooks_(options.log) {}

  Result<void> start() {
    auto client = make_client(RD_KAFKA_CONSUMER, options_, hooks_, reader_settings(options_));
    if (!client) return client.error();
    client_ = std::move(*client);
    if (auto answered = await_brokers(*client_, hooks_, options_); !answered) return answered;
    rd_kafka_poll_set_consumer(client_.get());
    return {};
  }

  /// Turns the topics into concrete offsets, now.
  Result<void> locate(const std::vector<std::string>& topics, ReadFrom from) {
    if (auto found = find_places(topics, from); !found) return found;
    return assign();
  }

  /// As above, and then forward to the first records that are not older.
  Result<void> locate(const std::vector<std::string>& topics, WallTime since) {
    if (auto found = find_places(topics, ReadFrom::Beginning); !found) return found;
    PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(places_.size())));
    const auto wanted = std::chrono::duration_cast<Milliseconds>(since.time_since_epoch()).count();
    for (const auto& [key, place] : places_)
      rd_kafka_topic_partition_list_add(list.get(), key.first.c_str(), key.second)->offset = wanted;
    const auto code = rd_kafka_offsets_for_times(client_.get(), list.get(), timeout_ms());
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return to_error(failure_of(code), "asking for offsets by time");
    for (int i = 0; i < list->cnt; ++i) {
      const rd_kafka_topic_partition_t& found = list->elems[i];
      if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return refusal(failure_of(found.err), std::string("asking for offsets of ") + found.topic,
                       found.topic);
      if (auto moved = move(found); !moved) return moved;
    }
    return assign();
  }

  Result<void> locate(const std::vector<PartitionOffset>& positions) {
    for (const PartitionOffset& position : positions)
      places_[{position.topic, position.partition}].next = position.next_offset;
    return assign();
  }

  Result<std::vector<RawRecord>> read(Milliseconds wait, std::size_t records_max) override {
    std::vector<RawRecord> records;
    const auto give_up = SteadyClock::now() + wait;
    while (records.size() < records_max) {
      const auto left = std::chrono::ceil<Milliseconds>(give_up - SteadyClock::now());
      const auto patience = records.empty() ? std::max<std::int64_t>(0, left.count()) : 0;
      const MessageHandle message(
          rd_kafka_consumer_poll(client_.get(), static_cast<int>(patience)));
      if (!message) break;
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        records.push_back(to_raw_record(*message));
        Place& place = place_of(*message);
        place.next = message->offset + 1;
        place.at_end = false;
      } else if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        const bool before = at_end();
        Place& place = place_of(*message);
        place.at_end = true;
        place.next = std::max(place.next, message->offset);
        if (at_end() && !before) break;
      } else if (judge(failure_of(message->err)).code != ErrorCode::Unavailable) {
        return refusal(failure_of(message->err, rd_kafka_message_errstr(message.get())),
                       "reading records", message->rkt ? rd_kafka_topic_name(message->rkt) : "");
      }
    }
    return records;
  }

  bool at_end() const override {
    return std::all_of(places_.begin(), places_.end(),
                       [](const auto& entry) { return entry.second.at_end; });
  }

  std::vector<PartitionOffset> positions() const override {
    std::vector<PartitionOffset> positions;
    for (const auto& [key, place] : places_)
      positions.push_back({key.first, "", key.second, place.next});
    return positions;
  }

 private:
  Result<void> find_places(const std::vector<std::string>& topics, ReadFrom from) {
    for (const std::string& topic : topics) {
      auto partitions = partitions_of(topic);
      if (!partitions) return partitions.error();
      for (int partition = 0; partition < *partitions; ++partition) {
        const auto marks = marks_of(topic, partition);
        if (!marks) return marks.error();
        Place& place = places_[{topic, partition}];
        place.next = from == ReadFrom::End ? marks->high : marks->low;
        place.at_end = place.next >= marks->high;
      }
    }
    return {};
  }

  /// To an offset by time, which is the end where nothing is as new.
  Result<void> move(const rd_kafka_topic_partition_t& found) {
    Place& place = places_[{found.topic, found.partition}];
    const auto marks = marks_of(found.topic, found.partition);
    if (!marks) return marks.error();
    place.next = found.offset < 0 ? marks->high : found.offset;
    place.at_end = place.next >= marks->high;
    return {};
  }

  Result<Watermarks> marks_of(const std::string& topic, int partition) {
    auto marks = query_watermarks(*client_, topic, partition, options_.request_timeout);
    if (!marks) return with_lack_of_reading(marks.error(), topic, options_);
    return marks;
  }

  Error refusal(const KafkaFailure& failure, const std::string& what,
                const std::string& topic) const {
    return with_lack_of_reading(to_error(failure, what), topic, options_);
  }

  int timeout_ms() const { return static_cast<int>(options_.request_timeout.count()); }

  Place& place_of(const rd_kafka_message_t& message) {
    return places_[{rd_kafka_topic_name(message.rkt), message.partition}];
  }

  Result<int> partitions_of(const std::string& topic) {
    const std::string what = "asking for the partitions of topic " + topic;
    const TopicHandle handle(rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr));
    if (!handle) return refusal(failure_of(rd_kafka_last_error()), what, topic);
    const rd_kafka_metadata_t* raw = nullptr;
    const auto code = rd_kafka_metadata(client_.get(), 0, handle.get(), &raw, timeout_ms());
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return refusal(failure_of(code), what, topic);
    const MetadataHandle metadata(raw);
    if (metadata->topic_cnt != 1)
      return refusal(failure_of(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC), what, topic);
    if (metadata->topics[0].err != RD_KAFKA_RESP_ERR_NO_ERROR)
      return refusal(failure_of(metadata->topics[0].err), what, topic);
    return metadata->topics[0].partition_cnt;
  }

  Result<void> assign() {
    PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(places_.size())));
    for (const auto& [key, place] : places_)
      rd_kafka_topic_partition_list_add(list.get(), key.first.c_str(), key.second)->offset =
          place.next;
    const auto code = rd_kafka_assign(client_.get(), list.get());
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return to_error(failure_of(code), "assigning partitions");
    return {};
  }

  KafkaOptions options_;
  ClientHooks hooks_;
  std::map<PartitionKey, Place> places_;
  ClientHandle client_;
};

Result<std::unique_ptr<Reader>> make_reader(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  auto reader = std::make_unique<Reader>(options);
  if (auto started = reader->start(); !started) return started.error();
  return reader;
}

}  // namespace

Result<std::unique_ptr<ResultReader>> ResultReader::create(const KafkaOptions& options,
                                                           std::vector<std::string> topics,
                                                           ReadFrom from) {
  auto reader = make_reader(options);
  if (!reader) return reader.error();
  if (auto located = (*reader)->locate(topics, from); !located) return located.error();
  return std::unique_ptr<ResultReader>(std::move(*reader));
}

Result<std::unique_ptr<ResultReader>> ResultReader::create(const KafkaOptions& options,
                                                           std::vector<std::string> topics,
                                                           WallTime since) {
  auto reader = make_reader(options);
  if (!reader) return reader.error();
  if (auto located = (*reader)->locate(topics, since); !located) return located.error();
  return std::unique_ptr<ResultReader>(std::move(*reader));
}

Result<std::unique_ptr<ResultReader>> ResultReader::create(const KafkaOptions& options,
                                                           std::vector<PartitionOffset> positions) {
  auto reader = make_reader(options);
  if (!reader) return reader.error();
  if (auto located = (*reader)->locate(positions); !located) return located.error();
  return std::unique_ptr<ResultReader>(std::move(*reader));
}

}  // namespace ba::kafka
