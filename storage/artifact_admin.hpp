#pragma once
// SPDX-License-Identifier: Apache-2.0
// Artifacts as people see them: which are kept, what refers to them, and their data. Reading here
// is no use that keeps an artifact longer. Blocking; any thread.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/text/message/position.hpp"
#include "storage/access.hpp"

namespace ba::storage {

/// Which artifacts; an empty field is any.
struct ArtifactFilter {
  std::string id;
  std::string tenant;
  std::string conversation;
  std::string job;
};

/// A call that gave an artifact, or that it was taken over from with its conversation.
struct ArtifactUse {
  std::string conversation;
  std::string job;  ///< empty: retention has removed it
  Position position;
  std::string tool;         ///< empty: its call isn't there any more, or was never here
  bool taken_over = false;  ///< by a copy of the conversation: the position says nothing
};

struct KeptArtifact {
  std::string tenant;
  std::string id;
  std::int64_t bytes = 0;
  bool in_file = false;
  std::string made_at;
  std::string used_at;            ///< made again or read by a job
  std::int64_t uses_count = 0;    ///< of all
  std::vector<ArtifactUse> uses;  ///< the newest of them
};

/// The last made first; of each at most `uses_max` uses.
Result<std::vector<KeptArtifact>> kept_artifacts(const PgAccess& access,
                                                 const ArtifactFilter& filter, int rows_max,
                                                 int uses_max);

/// Its data, compact JSON, from its row or from its file below `directory`, the one that workers
/// are configured with. NotFound when there is none or its file is gone; Corrupt when that was
/// changed; Unavailable when the directory can't be opened.
Result<std::string> artifact_data(const PgAccess& access, const TenantId& tenant,
                                  const std::string& id, const std::string& directory);

}  // namespace ba::storage
