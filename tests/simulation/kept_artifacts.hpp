#pragma once
// SPDX-License-Identifier: Apache-2.0
// Artifacts in the simulated PostgreSQL: the store in memory that passes the contract suite, which
// learns from the ledger's rows which jobs have ended and what their calls have told.

#include "tests/simulation/store_call.hpp"
#include "tests/support/fake_artifact_store.hpp"

namespace ba::sim {

/// What the model asks for where it was told of no artifact.
inline constexpr const char* kNoArtifact = "artifact_00000000000000000000000000000000";

/// The first artifact's id in a text; empty: there is none.
std::string artifact_in(const std::string& text);

class KeptArtifacts {
 public:
  KeptArtifacts(World& world, const Database& database, Mutant mutant)
      : clock_(world), database_(database), mutant_(mutant), store_(at_once_, clock_) {}

  /// As the database is when a request arrives; null while it is down.
  ArtifactStore* store();

 private:
  void look_at(const FakeJob& job, bool removed);

  WorldClock clock_;
  AtOnce at_once_;
  const Database& database_;
  const Mutant mutant_;
  FakeArtifactStore store_;
  int set_backs_ = 0;  ///< of the database, when it was last looked at
};

/// A process's connection to it.
class ArtifactConnection final : public ArtifactStore {
 public:
  ArtifactConnection(StoreLink link, KeptArtifacts& artifacts)
      : link_(link), artifacts_(artifacts) {}

  void put(ArtifactChunk chunk, Completion<void> done) override;
  void keep(Artifact artifact, Completion<ArtifactKept> done) override;
  void read(ArtifactQuestion question, Completion<ArtifactData> done) override;
  void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) override;

 private:
  template <typename T>
  void call(std::function<void(ArtifactStore&, Completion<T>)> work, Completion<T> done);

  const StoreLink link_;
  KeptArtifacts& artifacts_;
};

}  // namespace ba::sim
