// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/dead_letter.hpp"

#include "ba/v1/dead_letter.pb.h"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kFieldBytesMax = 200;
constexpr std::size_t kMessageBytesMax = 1000;

/// Of the record on the topic; all of it stays in the ledger. A compressed record can be far larger
/// than what a broker takes from us, and one that it refuses would stop its outbox shard.
constexpr std::size_t kPublishedBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kPublishedKeyBytesMax = 64 * 1024;
constexpr std::size_t kPublishedHeaderBytesMax = 256 * 1024;

/// At most `bytes_max` bytes and a mark, cut between characters.
std::string storable(std::string_view text, std::size_t bytes_max) {
  std::string clean = ba::storable(text);
  if (clean.size() <= bytes_max) return clean;
  return std::string(utf8_prefix(clean, bytes_max)) + "…";
}

Headers error_headers(const DeadLetter& letter) {
  return {{"ba.error.topic", letter.source.topic},
          {"ba.error.partition", std::to_string(letter.source.partition)},
          {"ba.error.offset", std::to_string(letter.source.offset)},
          {"ba.error.timestamp", std::to_string(letter.source.timestamp_ms)},
          {"ba.error.id", letter.record.result_id.value},
          {"ba.error.code", letter.reason},
          {"ba.error.field", letter.field},
          {"ba.error.message", letter.message}};
}

void set_conversation(v1::ConversationExcerpt& proto, const ConversationExcerpt& excerpt) {
  for (const ExcerptMessage& message : excerpt.messages) {
    v1::StoredMessage& added = *proto.add_messages();
    added.set_json(message.json);
    added.set_bytes_left_out(message.bytes_left_out);
  }
  proto.set_messages_left_out(excerpt.messages_left_out);
  proto.set_unreadable(storable(excerpt.unreadable, kMessageBytesMax));
}

}  // namespace

DeadLetter make_dead_letter(const RecordView& record, DeadLetterReason reason,
                            const Publication& publication) {
  DeadLetter letter;
  letter.source = record.source;
  letter.reason = reason.reason.text();
  letter.field = storable(reason.field, kFieldBytesMax);
  letter.message = storable(reason.message, kMessageBytesMax);
  if (record.key) letter.key = std::string(*record.key);
  letter.value = std::string(record.value);
  letter.headers = record.headers;
  letter.record.result_id = dead_letter_id(record.source);
  letter.record.shard = shard_of(letter.record.result_id, publication.outbox_shards);
  letter.record.topic = publication.dead_letter_topic;
  letter.record.key = letter.key.value_or("").substr(0, kPublishedKeyBytesMax);
  letter.record.value = letter.value.substr(0, kPublishedBytesMax);
  const std::size_t header_bytes = bytes_of(record.headers);
  if (header_bytes <= kPublishedHeaderBytesMax) letter.record.headers = record.headers;
  for (auto& added : error_headers(letter)) letter.record.headers.push_back(std::move(added));
  // Published as empty ones: who sends the record again must know that they were null.
  if (!record.key) letter.record.headers.emplace_back("ba.error.no-key", "true");
  if (record.no_value) letter.record.headers.emplace_back("ba.error.no-value", "true");
  const auto cut = [&letter](const char* name, std::size_t bytes, std::size_t bytes_max) {
    if (bytes > bytes_max) letter.record.headers.emplace_back(name, std::to_string(bytes));
  };
  cut("ba.error.original-bytes", letter.value.size(), kPublishedBytesMax);
  cut("ba.error.original-key-bytes", letter.key.value_or("").size(), kPublishedKeyBytesMax);
  cut("ba.error.original-header-bytes", header_bytes, kPublishedHeaderBytesMax);
  return letter;
}

OutboxRecord make_job_dead_letter(const UnrunJob& unrun, const Publication& publication) {
  const Job& job = unrun.job;
  OutboxRecord record;
  record.result_id = result_id(job.tenant, job.job_id, kDeadLetterKind);
  record.shard = shard_of(job.tenant, job.job_id, publication.outbox_shards);
  record.topic = publication.dead_letter_topic;
  record.key = job_key(job);

  v1::DeadLetter proto;
  proto.set_schema_version(1);
  proto.set_dead_letter_id(record.result_id.value);
  proto.set_code(unrun.error.code);
  proto.set_message(storable(unrun.error.message, kMessageBytesMax));
  proto.set_value(std::string(unrun.payload));
  v1::RecordHeader& type = *proto.add_headers();
  type.set_name("content-type");
  type.set_value("application/protobuf");
  proto.set_tenant(job.tenant.value);
  proto.set_job_id(job.job_id.value);
  proto.set_conversation_id(job.conversation_id.value);
  proto.set_attempts(unrun.attempts);
  set_conversation(*proto.mutable_conversation(), unrun.conversation);
  record.value = proto_value(proto, publication.encoding);

  record.headers = event_headers({record.result_id.value, kDeadLetterEventType, unrun.ended_at},
                                 job, publication);
  record.headers.emplace_back("ba.error.id", record.result_id.value);
  record.headers.emplace_back("ba.error.code", proto.code());
  record.headers.emplace_back("ba.error.message", proto.message());
  return record;
}

std::string dead_letter_to_json(const DeadLetter& letter) {
  v1::DeadLetter proto;
  proto.set_schema_version(1);
  proto.set_dead_letter_id(letter.record.result_id.value);
  proto.set_topic(letter.source.topic);
  proto.set_partition(letter.source.partition);
  proto.set_offset(letter.source.offset);
  proto.set_timestamp_ms(letter.source.timestamp_ms);
  proto.set_code(letter.reason);
  proto.set_field(letter.field);
  proto.set_message(letter.message);
  proto.set_has_key(letter.key.has_value());
  proto.set_key(letter.key.value_or(""));
  proto.set_value(letter.value);
  for (const auto& [name, value] : letter.headers) {
    v1::RecordHeader& header = *proto.add_headers();
    header.set_name(storable(name, kMessageBytesMax));
    header.set_value(value);
  }
  return write_proto_json(proto);
}

Result<std::string> job_dead_letter_to_json(const OutboxRecord& record) {
  v1::DeadLetter proto;
  const auto type = header(record.headers, "content-type").value_or("");
  const auto defect = read_proto_value(record.value, type, proto);
  if (!defect) return write_proto_json(proto);
  return make_error(ErrorCode::Corrupt, "record " + record.result_id.value + " of topic " +
                                            record.topic + " is no dead letter of a job: " +
                                            defect->message + " (" + defect->reason.text() + ")");
}

}  // namespace ba
