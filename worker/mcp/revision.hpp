#pragma once
// SPDX-License-Identifier: Apache-2.0
// The revisions of the protocol that are spoken, and the two eras they belong to: a modern server
// hears version and capabilities with every request, a legacy one in a handshake (specification
// 2026-07-28, "Versioning and Compatibility"). Values.

#include <array>
#include <string>
#include <string_view>

namespace ba::mcp {

enum class Era { Modern, Legacy };

inline constexpr std::string_view kModernRevision = "2026-07-28";
inline constexpr std::string_view kLegacyRevision = "2025-11-25";  ///< what we ask for

/// What a legacy server may answer to our wish: the newest first.
inline constexpr std::array<std::string_view, 4> kLegacyRevisions{"2025-11-25", "2025-06-18",
                                                                  "2025-03-26", "2024-11-05"};

inline constexpr std::string_view to_string(Era era) {
  return era == Era::Modern ? "modern" : "legacy";
}

/// What a server says of itself; for people, never for decisions.
struct ServerFacts {
  Era era = Era::Legacy;
  std::string revision;
  std::string name;
  std::string version;

  friend bool operator==(const ServerFacts&, const ServerFacts&) = default;
};

}  // namespace ba::mcp
