#pragma once
// SPDX-License-Identifier: Apache-2.0
// The artifact store of a process: counts and tells what becomes of artifacts, and removes what
// nobody needs any more, every interval. Owned by the process. Control thread only.

#include <memory>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/log.hpp"
#include "pipeline/core/tool/artifact_store.hpp"

namespace ba {

/// Section `tools.artifacts` of the configuration.
struct ArtifactConfig {
  bool enabled = true;
  std::string directory;  ///< shared by all workers; empty: the data is in PostgreSQL
  std::int64_t artifact_bytes_max = 64LL << 20;
  std::int64_t read_bytes_max = 256LL << 20;  ///< of large ones that calls are given, at once
  ArtifactRules rules;
  Milliseconds cleanup_interval{3'600'000};

  friend bool operator==(const ArtifactConfig&, const ArtifactConfig&) = default;
};

/// Grows only.
struct ArtifactCounters {
  std::int64_t kept = 0;          ///< stored by this process
  std::int64_t kept_bytes = 0;    ///< of those
  std::int64_t deduplicated = 0;  ///< whose content was there already
  std::int64_t read = 0;
  std::int64_t not_kept = 0;     ///< the store could not
  std::int64_t not_read = 0;     ///< it could not; what isn't there is no failure
  std::int64_t not_cleaned = 0;  ///< cleanings that failed
  ArtifactCleaning removed;      ///< by this process, in all; `more` means nothing
};

class ArtifactKeeper final : public ArtifactStore {
 public:
  /// All outlive it. The first cleaning comes soon, so that those of a worker that is restarted
  /// often come at all.
  ArtifactKeeper(ArtifactConfig config, ArtifactStore& store, Executor& executor, Log& log);

  void put(ArtifactChunk chunk, Completion<void> done) override;
  void keep(Artifact artifact, Completion<ArtifactKept> done) override;
  void read(ArtifactQuestion question, Completion<ArtifactData> done) override;
  void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) override;

  const ArtifactCounters& counters() const { return counters_; }

 private:
  void kept(const Result<ArtifactKept>& kept, std::int64_t bytes);
  void clean_later(Milliseconds delay);
  void cleaned(const Result<ArtifactCleaning>& cleaning);

  const ArtifactConfig config_;
  ArtifactStore& store_;
  Executor& executor_;
  Log& log_;
  ArtifactCounters counters_;
  std::unique_ptr<Timer> cleaning_;
  Lifetime lifetime_;
};

}  // namespace ba
