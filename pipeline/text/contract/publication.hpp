#pragma once
// SPDX-License-Identifier: Apache-2.0
// The encodings of records, and how and where results, metrics reports and dead letters are
// published. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ba {

enum class Encoding { Protobuf, Json };

enum class ContentType { Protobuf, Json, CloudEventJson };

struct MediaType {
  std::string_view name;
  ContentType type;
};

/// All that are read by name; schemas/asyncapi.yaml has the same.
inline constexpr MediaType kMediaTypes[] = {
    {"application/json", ContentType::Json},
    {"text/json", ContentType::Json},
    {"application/protobuf", ContentType::Protobuf},
    {"application/x-protobuf", ContentType::Protobuf},
    {"application/vnd.google.protobuf", ContentType::Protobuf},
    {"application/cloudevents+json", ContentType::CloudEventJson}};

/// From a media type; parameters (`; charset=utf-8`) and case don't matter. One of kMediaTypes, or
/// application/*+json, which is JSON.
std::optional<ContentType> parse_content_type(std::string_view text);

/// "application/protobuf" or "application/json".
std::string_view media_type(Encoding encoding);

/// Made from the configuration once, by main.
struct Publication {
  std::string results_topic = "ba.results";
  std::string metrics_topic = "ba.metrics";
  std::string dead_letter_topic = "ba.dead-letters";
  Encoding encoding = Encoding::Json;
  std::string source = "/ba-agent";  ///< ce_source of every event
  int outbox_shards = 1;
  std::int64_t result_bytes_max = 8LL * 1024 * 1024;  ///< of a result's record, see fit_result()
  std::int64_t dead_letter_conversation_bytes_max = 1024 * 1024;  ///< of a job's dead letter

  friend bool operator==(const Publication&, const Publication&) = default;
};

}  // namespace ba
