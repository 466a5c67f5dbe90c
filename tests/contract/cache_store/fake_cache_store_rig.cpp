// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/cache_store/cache_store_contract.hpp"
#include "tests/support/fake_cache_store.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

class FakeRig final : public CacheStoreRig {
 public:
  CacheStore& store() override { return store_; }
  bool run_until(const std::function<bool()>& reached) override {
    return time_.run_until(reached, Milliseconds(60'000));
  }
  void pass(Milliseconds span) override { time_.run_for(span); }
  std::optional<std::int64_t> hits(const std::string& key) override {
    const auto kept = store_.results.find(key);
    return kept == store_.results.end() ? std::nullopt : std::optional(kept->second.hits);
  }

 private:
  VirtualExecutor time_;
  FakeCacheStore store_{time_, time_};
};

INSTANTIATE_TEST_SUITE_P(Fake, CacheStoreContract,
                         testing::Values(CacheStoreKind{
                             "fake", [] { return std::make_unique<FakeRig>(); }}));

}  // namespace
}  // namespace ba
