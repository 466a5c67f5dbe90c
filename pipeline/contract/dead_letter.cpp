// SPDX-License-Identifier: Apache-2.0
#include "pipeline/contract/dead_letter.hpp"

#include "ba/v1/dead_letter.pb.h"
#include "pipeline/contract/proto_json.hpp"
#include "pipeline/contract/result_id.hpp"
#include "pipeline/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kFieldBytesMax = 200;
constexpr std::size_t kMessageBytesMax = 1000;

/// Of the record on the topic; all of it stays in the ledger. A compressed record can be far larger
/// than what a broker takes from us, and one that it refuses would stop its outbox shard.
constexpr std::size_t kPublishedBytesMax = 4 * 1024 * 1024;

/// At most `bytes_max` bytes, cut between characters, each byte that can't be stored as '?'.
std::string storable(std::string text, std::size_t bytes_max) {
  while (const auto at = utf8_defect(text)) text[*at] = '?';
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text + "…";
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

}  // namespace

DeadLetter make_dead_letter(const RecordView& record, DeadLetterReason reason,
                            const Publication& publication) {
  DeadLetter letter;
  letter.source = record.source;
  letter.reason = std::move(reason.reason);
  letter.field = storable(std::move(reason.field), kFieldBytesMax);
  letter.message = storable(std::move(reason.message), kMessageBytesMax);
  if (record.key) letter.key = std::string(*record.key);
  letter.value = std::string(record.value);
  letter.headers = record.headers;
  letter.record.result_id = dead_letter_id(record.source);
  letter.record.shard = shard_of(letter.record.result_id, publication.outbox_shards);
  letter.record.topic = publication.dead_letter_topic;
  letter.record.key = letter.key.value_or("");
  letter.record.value = letter.value.substr(0, kPublishedBytesMax);
  letter.record.headers = record.headers;
  for (auto& added : error_headers(letter)) letter.record.headers.push_back(std::move(added));
  if (letter.value.size() > kPublishedBytesMax)
    letter.record.headers.emplace_back("ba.error.original-bytes",
                                       std::to_string(letter.value.size()));
  return letter;
}

std::string dead_letter_to_json(const DeadLetter& letter) {
  v1::DeadLetter proto;
  proto.set_schema_version(1);
  proto.set_dead_letter_id(dead_letter_id(letter.source).value);
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

}  // namespace ba
