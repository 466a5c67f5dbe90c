// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/text_check.hpp"
#include "tests/contract/artifact_store/artifact_store_contract.hpp"
#include "tests/support/fake_artifact_store.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

class FakeRig final : public ArtifactStoreRig {
 public:
  ArtifactStore& store() override { return store_; }
  bool run_until(const std::function<bool()>& reached) override {
    return time_.run_until(reached, Milliseconds(60'000));
  }
  void pass(Milliseconds span) override { time_.run_for(span); }
  LedgerJobId job(const std::string& tenant, const std::string& conversation) override {
    store_.jobs[++jobs_] = {tenant + "/" + conversation, false,
                            !conversation.starts_with(kOwnConversationPrefix)};
    return LedgerJobId(jobs_);
  }
  void finish(LedgerJobId job) override { store_.jobs[job.value].finished = true; }
  void call(LedgerJobId job, const Position& call, std::optional<std::string> told) override {
    if (told) store_.told[{job.value, FakeArtifactStore::call_of(call)}] = *told;
  }

 private:
  VirtualExecutor time_;
  FakeArtifactStore store_{time_, time_};
  std::int64_t jobs_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Fake, ArtifactStoreContract,
                         testing::Values(ArtifactStoreKind{
                             "fake", [] { return std::make_unique<FakeRig>(); }}));

}  // namespace
}  // namespace ba
