// SPDX-License-Identifier: Apache-2.0
#include "storage/storage.hpp"
#include "tests/contract/artifact_store/artifact_store_contract.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/scratch_schema.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba {
namespace {

enum class Place { Database, Directory };

class PgRig final : public ArtifactStoreRig {
 public:
  explicit PgRig(Place place) {
    storage::PgOptions options;
    options.access = schema_.access();
    if (place == Place::Directory) options.artifact_directory = directory_.path();
    auto opened = storage::open_storage(options, executor_);
    if (!opened) throw std::runtime_error(opened.error().message);
    storage_ = std::move(*opened);
  }

  ArtifactStore& store() override { return storage_->artifacts(); }
  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached);
  }
  void pass(Milliseconds span) override {
    bool over = false;
    const auto timer = executor_.after(span, [&] { over = true; });
    EXPECT_TRUE(executor_.run_until([&] { return over; }));
  }

  LedgerJobId job(const std::string& tenant, const std::string& conversation) override {
    schema_.execute("INSERT INTO conversations (tenant, conversation_id) VALUES ('" + tenant +
                    "', '" + conversation + "') ON CONFLICT DO NOTHING");
    return LedgerJobId(std::stoll(
        schema_.query("INSERT INTO jobs (tenant, job_id, conversation, lane, payload, source_topic,"
                      " source_topic_id, source_partition, source_offset, created_at)"
                      " SELECT tenant, 'j" +
                      std::to_string(++jobs_) +
                      "', id, 0, '', '', '', 0, 0, now()"
                      " FROM conversations WHERE tenant = '" +
                      tenant + "' AND conversation_id = '" + conversation + "' RETURNING id")));
  }
  void finish(LedgerJobId job) override {
    schema_.execute(
        "UPDATE jobs SET state = 'finished', incarnation = 1, outcome = 'completed',"
        " result = '', finished_at = now() WHERE id = " +
        std::to_string(job.value));
  }
  void call(LedgerJobId job, const Position& call, std::optional<std::string> told) override {
    const std::string key = std::to_string(job.value) + ", " + std::to_string(call.round) + ", " +
                            std::to_string(call.step) + ", " + std::to_string(call.index);
    schema_.execute(
        "INSERT INTO tool_calls (job, round, step, idx, tool_call_id, tool_name,"
        " tool_version, parameters, effect, state, started_at) VALUES (" +
        key + ", 'c', 't', '1', '{}', 'pure', 'running', now()) ON CONFLICT DO NOTHING");
    if (told)
      schema_.execute(
          "UPDATE tool_calls SET state = 'succeeded', finished_at = now(), message = '{}',"
          " artifact_id = nullif('" +
          *told + "', '') WHERE (job, round, step, idx) = (" + key + ")");
  }

 private:
  ScratchSchema schema_;
  TemporaryDirectory directory_;
  LoopExecutor executor_;
  std::unique_ptr<storage::PgStorage> storage_;
  int jobs_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    Postgres, ArtifactStoreContract,
    testing::Values(
        ArtifactStoreKind{"database", [] { return std::make_unique<PgRig>(Place::Database); }},
        ArtifactStoreKind{"directory", [] { return std::make_unique<PgRig>(Place::Directory); }}));

}  // namespace
}  // namespace ba
