// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/sub_agent/sub_agent_host.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/joined.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

constexpr std::size_t kToolsTold = 8;

std::string told(const std::vector<ArtifactTool>& readers) {
  std::vector<std::string> names;
  for (const ArtifactTool& reader : readers)
    if (names.size() < kToolsTold) names.push_back(reader.tool + " (" + reader.parameter + ")");
  return joined_or_none(names);
}

std::string reference(const HandedArtifact& artifact, const std::vector<ArtifactTool>& readers) {
  const std::string size =
      artifact.bytes > 0 ? " (" + std::to_string(artifact.bytes) + " bytes)" : std::string();
  return "Data for this task is stored as artifact: " + artifact.id + size +
         "\nTo read it, give this id to one of your tools: " + told(readers) +
         ".\nData summary: " + artifact.summary;
}

std::string content(const HandedArtifact& artifact) {
  std::string head = "Data for this task";
  if (artifact.in_part)
    head += ", its beginning only: " +
            (artifact.bytes > 0 ? "of " + std::to_string(artifact.bytes) + " bytes " : "") +
            "no more is within your reach, because none of your tools reads artifacts. Say "
            "so in your answer where the rest would matter";
  return head + ":\n" + artifact.text;
}

}  // namespace

Result<HandedArtifact> hand_over(std::string id, std::string_view data,
                                 const std::optional<ItemRange>& part,
                                 const HandOverLimits& limits) {
  ResultFormat format;
  format.level = OutputLevel::Full;
  format.encoding = DataEncoding::Auto;
  format.full_inline_max = limits.inline_bytes_max;
  format.preview_bytes = limits.preview_bytes;
  if (part) format.whole = {part->total, 0, ""};
  Result<FormattedResult> formatted = format_result(data, format);
  if (!formatted) return formatted.error();
  HandedArtifact artifact;
  artifact.id = std::move(id);
  artifact.summary = std::move(formatted->data_summary);
  artifact.bytes = formatted->data_size_bytes;
  artifact.text = std::move(formatted->text);
  artifact.in_part = formatted->in_part;
  return artifact;
}

std::string with_artifact(std::string prompt, const HandedArtifact& artifact,
                          const std::vector<ArtifactTool>& readers) {
  if (!prompt.empty()) prompt += prompt.ends_with('\n') ? "\n" : "\n\n";
  return prompt + (readers.empty() ? content(artifact) : reference(artifact, readers));
}

}  // namespace ba
