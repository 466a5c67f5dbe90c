#pragma once
// SPDX-License-Identifier: Apache-2.0
// The encodings of a record. Values and a pure function.

#include <optional>
#include <string_view>

namespace ba {

enum class Encoding { Protobuf, Json };

enum class ContentType { Protobuf, Json, CloudEventJson };

/// From a media type; parameters (`; charset=utf-8`) and case don't matter. Also accepts
/// application/x-protobuf, application/vnd.google.protobuf, text/json and application/*+json.
std::optional<ContentType> parse_content_type(std::string_view text);

/// "application/protobuf" or "application/json".
std::string_view media_type(Encoding encoding);

}  // namespace ba
