// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include <string_view>

#include "worker/settings/section_reader.hpp"
#include "worker/settings/small_file.hpp"

namespace ba::config {
namespace {

using settings::SectionReader;

constexpr EnumNames<kafka::OutOfRange, 2> kOutOfRangeNames{
    {{kafka::OutOfRange::Stop, "stop"}, {kafka::OutOfRange::Earliest, "earliest"}}};

constexpr EnumNames<Encoding, 2> kEncodingNames{
    {{Encoding::Json, "json"}, {Encoding::Protobuf, "protobuf"}}};

enum class Compression { None, Gzip, Snappy, Lz4, Zstd };
constexpr EnumNames<Compression, 5> kCompressionNames{{{Compression::None, "none"},
                                                       {Compression::Gzip, "gzip"},
                                                       {Compression::Snappy, "snappy"},
                                                       {Compression::Lz4, "lz4"},
                                                       {Compression::Zstd, "zstd"}}};

// Where librdkafka or a broker has bounds of its own, it is those.

void read_topics(SectionReader& in, kafka::KafkaTopics& topics) {
  in.read("jobs_high", topics.jobs[static_cast<int>(Lane::High)]);
  in.read("jobs", topics.jobs[static_cast<int>(Lane::Normal)]);
  in.read("jobs_batch", topics.jobs[static_cast<int>(Lane::Batch)]);
  in.read("results", topics.results);
  in.read("metrics", topics.metrics);
  in.read("dead_letters", topics.dead_letters);
  in.read("progress", topics.progress);
  in.read("receipts", topics.receipts);
}

void read_intake(SectionReader& in, kafka::KafkaIntakeOptions& intake) {
  in.read("on_offset_out_of_range", intake.on_offset_out_of_range, kOutOfRangeNames);
  in.read("fetch_records_min", intake.fetch_records_min, {1, 10'000'000});
  in.read("fetch_kilobytes_max", intake.fetch_kilobytes_max, {1, 2'097'151});
  in.read("record_bytes_max", intake.record_bytes_max, {1024, 1'000'000'000});
  in.read("batch_records_max", intake.batch_records_max, {1, 100'000});
  in.read("batch_bytes_max", intake.batch_bytes_max, {1024, 1'000'000'000});
  in.read("batch_linger_ms", intake.batch_linger, {0, 1'000});
  in.read("outstanding_records_max", intake.outstanding_records_max, {1, 1'000'000});
  in.read("outstanding_bytes_max", intake.outstanding_bytes_max, {1024, 2'000'000'000});
  in.read("commit_interval_ms", intake.commit_interval, {1, 600'000});
  in.read("poll_interval_max_ms", intake.poll_interval_max, {1'000, 86'400'000});
  in.read("session_timeout_ms", intake.session_timeout, {1'000, 1'800'000});
}

void read_publisher(SectionReader& in, kafka::KafkaOutboxOptions& outbox) {
  in.read("transactional_id_prefix", outbox.transactional_id_prefix);
  in.read("transaction_timeout_ms", outbox.transaction_timeout, {1'000, 900'000});
  in.read("linger_ms", outbox.linger, {0, 1'000});
  Compression compression = Compression::Lz4;
  in.read("compression", compression, kCompressionNames);
  outbox.compression = name_of(kCompressionNames, compression);
  in.read("encoding", outbox.encoding, kEncodingNames);
  in.read("record_bytes_max", outbox.record_bytes_max, {1024, 1'000'000'000});
}

void read_topic_settings(SectionReader& in, kafka::KafkaTopicSettings& topics) {
  in.read("job_partitions", topics.job_partitions, {1, 10'000});
  in.read("result_partitions", topics.result_partitions, {1, 10'000});
  in.read("replication", topics.replication, {0, 32});
  in.read("results_retention_ms", topics.results_retention, {1'000, 3660LL * 86'400'000});
  in.read("record_bytes_max", topics.record_bytes_max, {1024, 1'000'000'000});
}

}  // namespace

bool is_secret_property(std::string_view name) {
  for (const std::string_view word : {"password", "secret", "pem", "oauthbearer.config", "token"})
    if (name.find(word) != std::string_view::npos) return true;
  return false;
}

void read_kafka(SectionReader& in, kafka::KafkaOptions& kafka) {
  in.read("brokers", kafka.brokers);
  in.read("client_id", kafka.client_id);
  in.read("group_id", kafka.group_id);
  in.read("request_timeout_ms", kafka.request_timeout, {100, 600'000});
  in.read("progress", kafka.progress);
  in.section("topics", [&](SectionReader& inner) { read_topics(inner, kafka.topics); });
  in.section("intake", [&](SectionReader& inner) { read_intake(inner, kafka.intake); });
  in.section("publisher", [&](SectionReader& inner) { read_publisher(inner, kafka.outbox); });
  in.section("topic_settings",
             [&](SectionReader& inner) { read_topic_settings(inner, kafka.topic_settings); });
  in.read("properties", settings::MaskedTexts{kafka.properties, is_secret_property});
  for (const char* key : {"ssl.key.location", "ssl.keystore.location"})
    if (const auto file = kafka.properties.find(key); file != kafka.properties.end())
      if (const std::string exposed = settings::exposure_of(file->second); !exposed.empty())
        in.warning("properties", std::string(key) + ": " + exposed);
  for (const auto& [name, what] : kafka::refused_properties(kafka.properties))
    in.entry_error("properties", name, SectionReader::Kind::Refused, what);
}

}  // namespace ba::config
