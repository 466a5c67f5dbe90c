// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/decode_job.hpp"

#include <algorithm>

#include "ba/v1/analysis_job_event.pb.h"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/job_mapping.hpp"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/contract/publication.hpp"
#include "pipeline/text/contract/text_check.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using Defect = std::optional<DeadLetterReason>;

/// A producer may write any number there; what is later than the year 9999 can't be kept.
constexpr std::int64_t kTimestampMsMax = 253402300799999;

std::string limit_text(std::size_t found, const char* unit, std::size_t limit) {
  return "has " + std::to_string(found) + " " + unit + ", the limit is " + std::to_string(limit);
}

Defect check_size(const RecordView& record, const JobContractLimits& limits) {
  if (record.value.empty())
    return DeadLetterReason{"EMPTY_RECORD", "",
                            record.no_value ? "the record has no value" : "the value is empty"};
  if (record.value.size() > limits.record_bytes_max)
    return DeadLetterReason{"TOO_LARGE", "",
                            limit_text(record.value.size(), "bytes", limits.record_bytes_max)};
  if (record.key && record.key->size() > limits.key_bytes_max)
    return DeadLetterReason{"TOO_LARGE", "key",
                            limit_text(record.key->size(), "bytes", limits.key_bytes_max)};
  if (record.headers.size() > limits.header_count_max)
    return DeadLetterReason{"TOO_LARGE", "headers",
                            limit_text(record.headers.size(), "entries", limits.header_count_max)};
  if (const std::size_t bytes = bytes_of(record.headers); bytes > limits.header_bytes_max)
    return DeadLetterReason{"TOO_LARGE", "headers",
                            limit_text(bytes, "bytes", limits.header_bytes_max)};
  return std::nullopt;
}

Defect read_data(ContentType type, std::string_view bytes, const JobContractLimits& limits,
                 v1::AnalysisJob& job) {
  return type == ContentType::Json ? read_proto_json(bytes, limits, job)
                                   : read_protobuf(bytes, limits, job);
}

Defect check_spec_version(const std::string& field, std::string_view version) {
  if (version.starts_with("1.")) return std::nullopt;
  return DeadLetterReason{"UNKNOWN_VERSION", field, "must be a CloudEvents version 1.x"};
}

Defect read_event(std::string_view json, const JobContractLimits& limits, v1::AnalysisJob& job) {
  v1::AnalysisJobEvent event;
  if (auto defect = read_proto_json(json, limits, event)) return defect;
  if (auto defect = check_spec_version("specversion", event.specversion())) return defect;
  if (event.has_data() == !event.data_base64().empty())
    return DeadLetterReason{"BAD_EVENT", "data", "exactly one of data and data_base64 is needed"};
  if (event.has_data()) {
    job = std::move(*event.mutable_data());
  } else {
    const auto type =
        looks_like_json(event.data_base64()) ? ContentType::Json : ContentType::Protobuf;
    if (auto defect = read_data(type, event.data_base64(), limits, job)) {
      defect->field = defect->field.empty() ? "data_base64" : "data_base64." + defect->field;
      return defect;
    }
  }
  v1::EventContext& context = *job.mutable_context();
  if (!event.id().empty()) context.set_event_id(event.id());
  if (!event.correlationid().empty()) context.set_correlation_id(event.correlationid());
  if (!event.traceparent().empty()) context.set_traceparent(event.traceparent());
  if (!event.tracestate().empty()) context.set_tracestate(event.tracestate());
  return std::nullopt;
}

/// Text for people: UTF-8 with no control characters but white space. A protobuf job has them.
bool looks_like_text(std::string_view bytes) {
  const auto odd = [](char c) { return c >= 0 && c < 0x20 && c != '\t' && c != '\r' && c != '\n'; };
  return !utf8_defect(bytes) && std::none_of(bytes.begin(), bytes.end(), odd);
}

/// What to say of a record whose format was guessed and could not be read as that.
DeadLetterReason unknown_format(DeadLetterReason defect, std::string_view payload) {
  if (looks_like_text(payload))
    return {"UNKNOWN_FORMAT", "", "the record is text, but not a JSON object"};
  defect.message += "; it was read as protobuf, since it has no content-type header and is no JSON";
  return defect;
}

Defect read_value(const RecordView& record, const JobContractLimits& limits, v1::AnalysisJob& job) {
  const auto payload = without_framing(record.value);
  if (!payload) return DeadLetterReason{"BAD_FRAMING", "", payload.error().message};
  const auto declared = header(record.headers, job_headers::kContentType);
  auto type = looks_like_json(*payload) ? ContentType::Json : ContentType::Protobuf;
  if (declared && !declared->empty()) {
    const auto parsed = parse_content_type(*declared);
    if (!parsed)
      return DeadLetterReason{"BAD_CONTENT_TYPE", "content-type",
                              "must be application/protobuf, application/json or "
                              "application/cloudevents+json"};
    type = *parsed;
  }
  if (type == ContentType::CloudEventJson) return read_event(*payload, limits, job);
  if (const auto version = header(record.headers, job_headers::kSpecVersion))
    if (auto defect = check_spec_version("ce_specversion", *version)) return defect;
  auto defect = read_data(type, *payload, limits, job);
  const bool guessed = !declared || declared->empty();
  if (defect && guessed && type == ContentType::Protobuf)
    return unknown_format(std::move(*defect), *payload);
  return defect;
}

/// The headers of the record; where one is missing, the job's own field stays.
Defect read_context(const Headers& headers, const JobContractLimits& limits,
                    v1::EventContext& context) {
  const TextRule id{.chars_max = limits.id_chars_max};
  const auto read_id = [&](std::string_view name, std::string& field) -> Defect {
    const auto value = header(headers, name);
    if (!value) return std::nullopt;
    field = std::string(*value);
    return check_text(std::string(name), *value, id);
  };
  if (auto defect = read_id(job_headers::kEventId, *context.mutable_event_id())) return defect;
  for (const std::string_view name : job_headers::kCorrelationId)
    if (auto defect = read_id(name, *context.mutable_correlation_id())) return defect;
  for (const std::string_view name : job_headers::kTraceparent)
    if (const auto value = header(headers, name); value && valid_traceparent(*value))
      context.set_traceparent(std::string(*value));
  for (const std::string_view name : job_headers::kTracestate)
    if (const auto value = header(headers, name)) context.set_tracestate(std::string(*value));
  if (!valid_traceparent(context.traceparent())) context.clear_traceparent();
  const bool keep_state = !context.traceparent().empty() &&
                          context.tracestate().size() <= limits.tracestate_chars_max &&
                          valid_tracestate(context.tracestate());
  if (!keep_state) context.clear_tracestate();
  return std::nullopt;
}

}  // namespace

DecodedRecord decode_job(const RecordView& record, const JobContractLimits& limits,
                         Lane lane_of_topic) {
  if (auto defect = check_size(record, limits)) return std::move(*defect);
  v1::AnalysisJob proto;
  if (auto defect = read_value(record, limits, proto)) return std::move(*defect);
  if (auto defect = read_context(record.headers, limits, *proto.mutable_context()))
    return std::move(*defect);
  DecodedRecord decoded = job_from_proto(proto, limits);
  auto* job = std::get_if<Job>(&decoded);
  if (job == nullptr) return decoded;
  if (proto.lane().empty()) job->lane = lane_of_topic;
  if (!proto.has_created_at()) {
    const auto timestamp_ms =
        std::clamp<std::int64_t>(record.source.timestamp_ms, 0, kTimestampMsMax);
    job->created_at = WallTime(Milliseconds(timestamp_ms));
  }
  return decoded;
}

}  // namespace ba
