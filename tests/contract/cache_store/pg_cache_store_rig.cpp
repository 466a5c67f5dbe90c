// SPDX-License-Identifier: Apache-2.0
#include "storage/storage.hpp"
#include "tests/contract/cache_store/cache_store_contract.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/scratch_schema.hpp"

namespace ba {
namespace {

class PgRig final : public CacheStoreRig {
 public:
  PgRig() {
    storage::PgOptions options;
    options.access = schema_.access();
    auto opened = storage::open_storage(options, executor_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = std::move(*opened);
  }

  CacheStore& store() override { return storage_->cache(); }
  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached);
  }
  void pass(Milliseconds span) override {
    bool over = false;
    const auto timer = executor_.after(span, [&] { over = true; });
    EXPECT_TRUE(executor_.run_until([&] { return over; }));
  }
  std::optional<std::int64_t> hits(const std::string& key) override {
    const std::string found = schema_.query(
        "SELECT coalesce((SELECT hits FROM tool_results WHERE key = '" + key + "'), -1)");
    return found == "-1" ? std::nullopt : std::optional(std::stoll(found));
  }

 private:
  ScratchSchema schema_;
  LoopExecutor executor_;
  std::unique_ptr<storage::PgStorage> storage_;
};

INSTANTIATE_TEST_SUITE_P(Postgres, CacheStoreContract,
                         testing::Values(CacheStoreKind{"postgres",
                                                        [] { return std::make_unique<PgRig>(); }}));

}  // namespace
}  // namespace ba
