#pragma once
// SPDX-License-Identifier: Apache-2.0
// An artifact that a call of `task` gives to its sub-agent: what is told of it in the question. Who
// may read it is the ledger's business, which lends a sub-agent what its asker may read. Pure
// functions; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/chunked_data.hpp"

namespace ba {

/// Of the text that a sub-agent is given whose tools read no artifacts.
struct HandOverLimits {
  std::int64_t inline_bytes_max = 16 * 1024;  ///< longer data is given in part
  std::int64_t preview_bytes = 4 * 1024;      ///< of such a part

  friend bool operator==(const HandOverLimits&, const HandOverLimits&) = default;
};

struct HandedArtifact {
  std::string id;
  std::string summary;     ///< "List with N items. …"
  std::int64_t bytes = 0;  ///< of all of it; 0: not known, `data` was its beginning
  std::string text;        ///< it, or its beginning with how much more there is
  bool in_part = false;

  friend bool operator==(const HandedArtifact&, const HandedArtifact&) = default;
};

/// A tool that reads artifacts, and the parameter that names them.
struct ArtifactTool {
  std::string tool;
  std::string parameter;

  friend bool operator==(const ArtifactTool&, const ArtifactTool&) = default;
};

/// What a sub-agent's question may need of an array that is kept in chunks; more isn't read.
inline constexpr ItemRange kHandedItems{0, 200, 0};

/// `part`: what `data` is of the artifact; none: all of it. Protocol where `data` is no JSON.
Result<HandedArtifact> hand_over(std::string id, std::string_view data,
                                 const std::optional<ItemRange>& part,
                                 const HandOverLimits& limits);

/// The question with what is told of the artifact below it: its id to an agent that has `readers`,
/// else the text.
std::string with_artifact(std::string prompt, const HandedArtifact& artifact,
                          const std::vector<ArtifactTool>& readers);

}  // namespace ba
