#pragma once
// SPDX-License-Identifier: Apache-2.0
// ArtifactStore over PostgreSQL: the data in its rows or in chunks
// (artifact_chunks.hpp), or in files whose names are in those.
// Owned by the storage; control thread only, the work is done on the pool's threads.

#include <optional>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "storage/artifact/artifact_directory.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

class PgArtifactStore final : public ArtifactStore {
 public:
  PgArtifactStore(SessionPool& sessions, Executor& executor,
                  std::optional<ArtifactDirectory> directory)
      : sessions_(sessions), executor_(executor), directory_(std::move(directory)) {}

  void put(ArtifactChunk chunk, Completion<void> done) override;
  void keep(Artifact artifact, Completion<ArtifactKept> done) override;
  void read(ArtifactQuestion question, Completion<ArtifactData> done) override;
  void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) override;

 private:
  const ArtifactDirectory* directory() const { return directory_ ? &*directory_ : nullptr; }

  SessionPool& sessions_;
  Executor& executor_;
  const std::optional<ArtifactDirectory> directory_;
};

}  // namespace ba::storage
