#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which results become artifacts, what these are called, and what a model reads of them. Pure; any
// thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "pipeline/base/ids.hpp"
#include "pipeline/core/tool/chunked_data.hpp"

namespace ba {

/// A result of so many bytes is stored, whatever its level. One that is too large to be held is.
inline constexpr std::int64_t kArtifactBytesMin = 1024 * 1024;
static_assert(kArtifactBytesMin <= kHeldBytesMax);

/// Of a result that may be stored.
struct ResultToKeep {
  std::int64_t data_size_bytes = 0;
  bool in_part = false;     ///< at FULL, the model reads its beginning only
  bool asked_full = false;  ///< FULL was asked for by the call itself
  bool put_away = false;    ///< it was too large to be held: nobody has it otherwise
  bool readable = true;     ///< some tool of the asking agent reads artifacts
};

/// What is whole in the text isn't stored a second time, unless it was asked for; nor anything
/// else that the asking agent can't read.
bool becomes_artifact(const ResultToKeep& result);

/// "artifact_" and 32 lower-case hexadecimal digits: the same content has another name at another
/// tenant. `data_hash` is the content's SHA-256 as hexadecimal digits.
std::string artifact_id(const TenantId& tenant, std::string_view data_hash);

/// Whether a text could be the name of one.
bool well_formed_artifact_id(std::string_view text);

/// The text of a result's level, where it has one, and where the data is.
std::string artifact_observation(std::string level_text, const std::string& id,
                                 const std::string& summary);

/// Of a result that isn't all in the text, for an agent none of whose tools reads artifacts.
std::string out_of_reach_observation(std::string level_text, std::int64_t data_size_bytes);

/// A failed call's observation with where the data is that came before it failed.
std::string partial_data_observation(std::string error_text, const std::string& id);

/// What stands in the place of the data's whereabouts where it could not be stored.
std::string artifact_lost_observation(std::string level_text, const std::string& reason);

}  // namespace ba
