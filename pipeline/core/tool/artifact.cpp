// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/artifact.hpp"

#include <algorithm>

#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba {
namespace {

constexpr std::string_view kPrefix = "artifact_";
constexpr std::size_t kDigits = 32;
constexpr std::size_t kDigitsMax = 64;

std::string below(std::string text, const std::string& block) {
  if (!text.empty()) text += text.ends_with('\n') ? "\n" : "\n\n";
  return text + block;
}

}  // namespace

bool becomes_artifact(const ResultToKeep& result) {
  if (result.put_away) return true;
  if (!result.readable) return result.asked_full;
  return result.in_part || result.asked_full || result.data_size_bytes >= kArtifactBytesMin;
}

std::string artifact_id(const TenantId& tenant, std::string_view data_hash) {
  const std::string keyed = "artifact\n" + std::string(data_hash) + "\n" + tenant.value;
  return std::string(kPrefix) + sha256_hex_of(keyed).substr(0, kDigits);
}

bool well_formed_artifact_id(std::string_view text) {
  if (!text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  return text.size() >= kDigits && text.size() <= kDigitsMax &&
         std::ranges::all_of(
             text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string artifact_observation(std::string level_text, const std::string& id,
                                 const std::string& summary) {
  return below(std::move(level_text),
               "Data stored as artifact: " + id +
                   "\n\nLarge dataset available for subsequent tool access.\n\n"
                   "To access this data, reference the artifact_id in your next tool call.\n"
                   "The system will securely retrieve the data for you.\n\n"
                   "Data summary: " +
                   summary);
}

std::string out_of_reach_observation(std::string level_text, std::int64_t data_size_bytes) {
  return below(std::move(level_text),
               "This is a part of a result of " + std::to_string(data_size_bytes) +
                   " bytes; the rest can't be read: none of your tools reads stored results. Ask "
                   "for less, or for another part.");
}

std::string partial_data_observation(std::string error_text, const std::string& id) {
  return std::move(error_text) + "\nData stored as artifact: " + id;
}

std::string artifact_lost_observation(std::string level_text, const std::string& reason) {
  return below(std::move(level_text), "The full data could not be stored: " + reason);
}

}  // namespace ba
