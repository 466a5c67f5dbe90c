#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every implementation of ArtifactStore does, asked through a rig that each has.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/core/tool/artifact_store.hpp"

namespace ba {

class ArtifactStoreRig {
 public:
  virtual ~ArtifactStoreRig() = default;
  virtual ArtifactStore& store() = 0;
  /// Lets time pass until `reached` holds; false when that takes longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;
  /// Lets that much time pass for the store.
  virtual void pass(Milliseconds span) = 0;
  /// A new job of a conversation, which has begun.
  virtual LedgerJobId job(const std::string& tenant, const std::string& conversation) = 0;
  virtual void finish(LedgerJobId job) = 0;
  /// The ledger has a call of the job, which is under way, or told this artifact ("": none).
  virtual void call(LedgerJobId job, const Position& call, std::optional<std::string> told) = 0;
};

struct ArtifactStoreKind {
  std::string name;
  std::function<std::unique_ptr<ArtifactStoreRig>()> make;
};

inline void PrintTo(const ArtifactStoreKind& kind, std::ostream* out) { *out << kind.name; }

class ArtifactStoreContract : public testing::TestWithParam<ArtifactStoreKind> {
 protected:
  template <typename T>
  Result<T> await(const std::function<void(Completion<T>)>& start) {
    std::optional<Result<T>> answer;
    start([&](Result<T> result) { answer = std::move(result); });
    EXPECT_FALSE(answer) << "answered from inside the call";
    EXPECT_TRUE(rig_->run_until([&] { return answer.has_value(); }));
    return *answer;
  }

  /// Its id.
  std::string keep(LedgerJobId job, const std::string& data, const Position& call = {1, 1, 0},
                   const std::string& tenant = "acme");
  /// Kept, and told by its call.
  std::string told(LedgerJobId job, const std::string& data, const Position& call = {1, 1, 0});
  std::optional<std::string> read(const std::string& id, LedgerJobId job,
                                  const std::string& tenant = "acme");
  /// Chunks of two items each, of the array 0 … items - 1; the array.
  std::string put(const std::string& upload, int items, const std::string& tenant = "acme");
  Result<ArtifactKept> keep_upload(LedgerJobId job, const std::string& upload,
                                   const std::string& data, int chunks);
  std::optional<ArtifactData> ask(ArtifactQuestion question);
  ArtifactCleaning clean(const ArtifactRules& rules);

  /// Nothing is too young to go.
  static ArtifactRules rules() {
    ArtifactRules rules;
    rules.settled_after = Milliseconds(0);
    rules.remove_when_closed = false;
    return rules;
  }

  ArtifactKept kept_ = ArtifactKept::Stored;  ///< what the last keep() was told
  std::unique_ptr<ArtifactStoreRig> rig_ = GetParam().make();
};

}  // namespace ba
