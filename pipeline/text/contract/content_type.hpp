#pragma once
// SPDX-License-Identifier: Apache-2.0
// The encodings of a record. Values and a pure function.

#include <optional>
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

}  // namespace ba
