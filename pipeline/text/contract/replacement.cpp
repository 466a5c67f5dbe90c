// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/replacement.hpp"

#include <algorithm>

#include "ba/v1/dead_letter.pb.h"
#include "ba/v1/metrics_report.pb.h"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/contract/record.hpp"

namespace ba {
namespace {

constexpr const char* kWhy = "Kafka refused the record of ";
constexpr const char* kRefusedCode = "RESULT_REFUSED";
constexpr const char* kTopicHeader = "ba.error.topic";  ///< of each record's dead letter
constexpr const char* kRefusedHeader = "ba.error.refused";

std::size_t record_bytes(const OutboxRecord& record) {
  return record.key.size() + record.value.size() + bytes_of(record.headers);
}

std::string content_type(const OutboxRecord& record) {
  return std::string(header(record.headers, "content-type").value_or(""));
}

Encoding encoding_of(const OutboxRecord& record) {
  return content_type(record) == media_type(Encoding::Protobuf) ? Encoding::Protobuf
                                                                : Encoding::Json;
}

std::string why(const OutboxRecord& refused, const std::string& reason) {
  return kWhy + std::to_string(refused.value.size()) + " bytes (" + reason +
         "); raise max.message.bytes of topic " + refused.topic +
         " or lower limits.result_bytes_max";
}

bool replace_result(RecordReplacement& replacement, const std::string& text) {
  OutboxRecord& record = replacement.record;
  auto result = decode_result(record.value, content_type(record));
  if (!result || (result->error && result->error->code == kRefusedCode)) return false;
  result->outcome = Outcome::Failed;
  result->answers.clear();
  result->metadata.clear();
  result->error = JobError{"limit", kRefusedCode, text + "; the answers are in the database"};
  record.value = encode_result(*result, encoding_of(record));
  replacement.result = std::move(*result);
  return true;
}

bool replace_metrics(OutboxRecord& record) {
  v1::MetricsReport report;
  if (read_proto_value(record.value, content_type(record), report)) return false;
  report.clear_tools();
  report.clear_unique_skills();
  report.clear_report();
  record.value = proto_value(report, encoding_of(record));
  return true;
}

bool replace_job_letter(OutboxRecord& record, const std::string& text) {
  v1::DeadLetter letter;
  if (read_proto_value(record.value, content_type(record), letter)) return false;
  auto& conversation = *letter.mutable_conversation();
  if (conversation.unreadable().starts_with(kWhy)) return false;
  conversation.set_messages_left_out(conversation.messages_left_out() +
                                     conversation.messages_size());
  conversation.clear_messages();
  conversation.set_unreadable(text + "; the job and its conversation are in the database");
  letter.clear_value();
  record.value = proto_value(letter, encoding_of(record));
  return true;
}

/// Of the headers ours are the last ones; those before them are the producer's.
bool replace_record_letter(OutboxRecord& record, const std::string& text) {
  if (record.headers.back().first == kRefusedHeader) return false;
  const auto ours = std::find_if(record.headers.rbegin(), record.headers.rend(),
                                 [](const auto& each) { return each.first == kTopicHeader; });
  Headers kept(ours.base() - 1, record.headers.end());
  std::erase_if(kept, [](const auto& each) { return each.first == "ba.error.original-bytes"; });
  kept.emplace_back("ba.error.original-bytes", std::to_string(record.value.size()));
  kept.emplace_back(kRefusedHeader, text);
  record.headers = std::move(kept);
  record.value.clear();
  return true;
}

bool replace(RecordReplacement& replacement, const std::string& text) {
  OutboxRecord& record = replacement.record;
  // First, since this kind alone carries a producer's headers, which may claim to be of another.
  if (header(record.headers, kTopicHeader)) return replace_record_letter(record, text);
  const std::string type(header(record.headers, "ce_type").value_or(""));
  if (type == kResultEventType) return replace_result(replacement, text);
  if (type == kMetricsEventType) return replace_metrics(record);
  if (type == kDeadLetterEventType) return replace_job_letter(record, text);
  return false;
}

}  // namespace

std::optional<RecordReplacement> replacement_for(const OutboxRecord& refused,
                                                 const std::string& reason) {
  RecordReplacement replacement;
  replacement.record = refused;
  if (!replace(replacement, why(refused, reason))) return std::nullopt;
  if (record_bytes(replacement.record) >= record_bytes(refused)) return std::nullopt;
  return replacement;
}

}  // namespace ba
