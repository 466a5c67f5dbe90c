// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/publication.hpp"

#include <algorithm>
#include <string>

namespace ba {
namespace {

std::string bare_type(std::string_view text) {
  text = text.substr(0, text.find(';'));
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t last = text.find_last_not_of(" \t");
  std::string type(text.substr(first, last - first + 1));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return type;
}

}  // namespace

std::optional<ContentType> parse_content_type(std::string_view text) {
  const std::string type = bare_type(text);
  for (const MediaType& known : kMediaTypes)
    if (type == known.name) return known.type;
  if (type.starts_with("application/cloudevents")) return std::nullopt;
  if (type.starts_with("application/") && type.ends_with("+json")) return ContentType::Json;
  return std::nullopt;
}

std::string_view media_type(Encoding encoding) {
  return encoding == Encoding::Json ? "application/json" : "application/protobuf";
}

}  // namespace ba
