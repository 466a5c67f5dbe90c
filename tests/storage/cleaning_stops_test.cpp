// SPDX-License-Identifier: Apache-2.0
// Cleaning up artifacts in a worker that ends.
#include <chrono>
#include <latch>
#include <thread>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "storage/artifact/pg_artifact_store.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

/// Holds the rows of all artifacts, as a slow reader would, until it is destroyed.
class Holder {
 public:
  explicit Holder(const PgAccess& access)
      : thread_([this, access] {
          const Stop never;
          Session session({.access = access}, never);
          session.run([this](Transaction& transaction) -> Result<bool> {
            transaction.execute("SELECT 1 FROM artifacts FOR UPDATE");
            held_.count_down();
            release_.wait();
            return true;
          });
        }) {
    held_.wait();
  }
  ~Holder() {
    release_.count_down();
    thread_.join();
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  std::latch held_{1};
  std::latch release_{1};
  std::thread thread_;
};

/// Far longer than a busy machine takes to stop.
constexpr std::chrono::minutes kStatementTimeout{10};

class CleaningStops : public StorageTest {
 protected:
  void SetUp() override {
    const LedgerJobId job = running_job(enter(), "job-1").id;
    const TenantId tenant("acme");
    const std::string data = "[1,2,3]";
    const auto kept = await<ArtifactKept>([&](auto done) {
      store.keep({artifact_id(tenant, sha256_hex_of(data)), tenant, job, {0, 0, 1}, data},
                 std::move(done));
    });
    ASSERT_TRUE(kept);
    // Nobody's any more: a clean-up removes it.
    schema().execute(
        "DELETE FROM artifact_references; UPDATE artifacts SET made_at = now() - interval '2 "
        "days'");
  }

  SessionOptions session_options() {
    SessionOptions options;
    options.access = schema().access();
    options.access.statement_timeout = kStatementTimeout;
    options.retry_window = std::chrono::seconds(20);
    return options;
  }

  void begin_cleaning() {
    store.clean({}, [this](auto result) { cleaned.emplace(std::move(result)); });
  }
  bool waits_for_a_lock() {
    return schema().query(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query "
               "LIKE 'DELETE FROM artifacts a%'") == "1";
  }
  std::string artifacts() { return schema().query("SELECT count(*) FROM artifacts"); }

  Stop stop;
  SessionPool pool{"clean", 1, session_options(), stop};
  PgArtifactStore store{pool, rig().executor(), std::nullopt};
  std::optional<Result<ArtifactCleaning>> cleaned;
};

TEST_F(CleaningStops, BetweenTwoStatementsNothingIsRemoved) {
  {
    const Holder holder(schema().access());
    begin_cleaning();
    ASSERT_TRUE(rig().run_until([&] { return waits_for_a_lock(); }));
    stop.request();
  }
  ASSERT_TRUE(rig().run_until([&] { return cleaned.has_value(); }));
  ASSERT_FALSE(*cleaned) << "the statement was let go on, and was the last";
  EXPECT_EQ(cleaned->error().code, ErrorCode::Cancelled);
  EXPECT_EQ(artifacts(), "1");
}

TEST_F(CleaningStops, SoonWhateverAStatementWaitsFor) {
  const Holder holder(schema().access());
  begin_cleaning();
  ASSERT_TRUE(rig().run_until([&] { return waits_for_a_lock(); }));
  const auto began = std::chrono::steady_clock::now();
  stop.request();
  pool.close();  // not when the statement's own time is over, let alone when the lock is free
  EXPECT_LT(std::chrono::steady_clock::now() - began, kStatementTimeout / 10);
  EXPECT_EQ(artifacts(), "1");
}

TEST_F(CleaningStops, WithoutAStopItIsRemoved) {
  begin_cleaning();
  ASSERT_TRUE(rig().run_until([&] { return cleaned.has_value(); }));
  ASSERT_TRUE(*cleaned) << cleaned->error().message;
  EXPECT_EQ((*cleaned)->unreferenced + (*cleaned)->aged, 1);
  EXPECT_EQ(artifacts(), "0");
}

}  // namespace
}  // namespace ba::storage
