// SPDX-License-Identifier: Apache-2.0
// The notes of file_placement.hpp. A content that is made of something else may be made in another
// way by another version or configuration: such a call is known by what it was made of. Workers
// that know nothing of that compare the end, and write the beginning.

#include <charconv>

#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/files/file_placement.hpp"

namespace ba::files {
namespace {

constexpr std::size_t kHash = 64;
constexpr std::size_t kMadeOf = 32;  ///< digits: all of it has to fit into 256 bytes
constexpr std::size_t kBytes = 20;
constexpr std::size_t kWhole = kHash + kMadeOf + kHash + kBytes + kHash;

std::string request_of(const PlacementAsked& asked) {
  return sha256_hex_of(asked.content.sha256 + asked.path);
}

std::string made_of(const PlacementAsked& asked) {
  return sha256_hex_of(asked.made_of + "\n" + asked.path).substr(0, kMadeOf);
}

std::string twenty_digits(std::size_t bytes) {
  std::string digits = std::to_string(bytes);
  return digits.insert(0, kBytes - digits.size(), '0');
}

}  // namespace

PlacedContent placed_content(std::string_view content) {
  return {sha256_hex_of(content), content.size()};
}

std::string note_of(const PlacementAsked& asked) {
  const std::string request = request_of(asked);
  if (asked.made_of.empty()) return request;
  return request + made_of(asked) + asked.content.sha256 + twenty_digits(asked.content.bytes) +
         request;
}

bool is_note_of(std::string_view note, const PlacementAsked& asked) {
  if (note.size() == kWhole && !asked.made_of.empty())
    return note.substr(kHash, kMadeOf) == made_of(asked);
  return note.ends_with(request_of(asked));
}

std::optional<PlacedContent> noted_content(std::string_view note) {
  if (note.size() != kWhole) return std::nullopt;
  PlacedContent content;
  content.sha256 = note.substr(kHash + kMadeOf, kHash);
  const std::string_view digits = note.substr(kHash + kMadeOf + kHash, kBytes);
  const auto read = std::from_chars(digits.data(), digits.data() + kBytes, content.bytes);
  if (read.ec != std::errc() || read.ptr != digits.data() + kBytes) return std::nullopt;
  return content;
}

}  // namespace ba::files
