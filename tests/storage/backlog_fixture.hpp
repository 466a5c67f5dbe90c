#pragma once
// SPDX-License-Identifier: Apache-2.0
// A ledger in which much waits, filled by SQL, and what claims of it find and read.

#include "storage/ledger/claim_rows.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {

class BacklogTest : public StorageTest {
 protected:
  /// No test gets this schema again: emptying it, row by row, takes too long, and plans would be
  /// made for what it has held.
  void TearDown() override { schema().execute("UPDATE schema_history SET checksum = 'used'"); }

  /// So many tenants, `first` and on, with so many jobs each, each in a conversation of its own.
  void fill(int first, int tenants, int jobs, Lane lane = Lane::Normal) {
    const std::string rows = "generate_series(" + std::to_string(first) + ", " +
                             std::to_string(first + tenants - 1) + ") t, generate_series(1, " +
                             std::to_string(jobs) + ") n";
    schema().execute(
        "INSERT INTO conversations (tenant, conversation_id) SELECT 'tenant-' || t, 'talk-' || n "
        "FROM " +
        rows);
    insert("'tenant-' || t", "n || '-' || " + std::to_string(static_cast<int>(lane)),
           "'talk-' || n", rows, lane);
  }

  /// So many jobs of one conversation.
  void fill_conversation(const std::string& tenant, const std::string& talk, int jobs) {
    schema().execute("INSERT INTO conversations (tenant, conversation_id) VALUES ('" + tenant +
                     "', '" + talk + "')");
    insert("'" + tenant + "'", "'" + talk + "/' || n", "'" + talk + "'",
           "generate_series(1, " + std::to_string(jobs) + ") n");
  }

  void insert(const std::string& tenant, const std::string& job, const std::string& talk,
              const std::string& rows, Lane lane = Lane::Normal) {
    schema().execute(
        "INSERT INTO jobs (tenant, job_id, conversation, lane, payload, created_at, source_topic,"
        " source_topic_id, source_partition, source_offset)"
        " SELECT c.tenant, r.job_id, c.id, " +
        std::to_string(static_cast<int>(lane)) +
        ", convert_to(c.tenant || '/' || r.job_id, 'UTF8'), now(), 'ba.jobs', '', 0, 0"
        " FROM (SELECT " +
        tenant + " AS tenant, " + job + " AS job_id, " + talk + " AS talk FROM " + rows +
        ") r JOIN conversations c ON c.tenant = r.tenant AND"
        " c.conversation_id = r.talk ORDER BY r.job_id");
    if (analyzed_) schema().execute("ANALYZE jobs; ANALYZE conversations");
  }

  struct Cost {
    std::int64_t rows = 0;
    std::size_t jobs = 0;
  };

  /// What a claim reads: rows and, for those that find none, scans. It is taken back.
  Cost cost_of(Session& session, const ClaimRequest& request) {
    const IncarnationId self = enter();
    Cost cost;
    const auto tried = session.run([&](Transaction& transaction) -> Result<int> {
      cost.rows = -rows_read(transaction);
      cost.jobs = claim_jobs(transaction, self, request).jobs.size();
      cost.rows += rows_read(transaction);
      return make_error(ErrorCode::Conflict, "only tried");
    });
    EXPECT_EQ(tried.error().message, "only tried");
    return cost;
  }

  Cost cost_of(const ClaimRequest& request) {
    Session session(hot_path(), stop_);
    return cost_of(session, request);
  }

  static std::int64_t rows_read(Transaction& transaction) {
    const Rows read = transaction.execute(
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch + idx_scan, 0))::bigint AS rows "
        "FROM pg_stat_xact_user_tables WHERE schemaname = current_schema()");
    return read.first().big("rows");
  }

  SessionOptions hot_path() {
    SessionOptions options;
    options.access = schema().access();
    options.hot_path = true;
    return options;
  }

  static ClaimRequest slots(int jobs_max) {
    ClaimRequest request;
    request.jobs_max = jobs_max;
    request.count = false;
    return request;
  }

  /// Claims with what the last one left, and ends what it got.
  std::vector<std::string> served(IncarnationId self, int jobs_max) {
    ClaimRequest request = slots(jobs_max);
    request.places = places_;
    const auto answer = claim(self, request);
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return {};
    places_ = answer->places;
    schema().execute(
        "UPDATE jobs SET state = 'finished', outcome = 'completed', result = '', "
        "finished_at = now() WHERE state = 'running' AND conversation <> " +
        std::to_string(kept_running_.value));
    std::vector<std::string> served = names(answer);
    std::erase_if(served, [&](const std::string& name) { return name == kept_name_; });
    return served;
  }

  /// The first job of a conversation, which runs on.
  void keep_running(IncarnationId self, const std::string& name) {
    const auto answer = claim(self, slots(1));
    ASSERT_THAT(names(answer), testing::ElementsAre(name));
    kept_running_ = answer->jobs.at(0).conversation;
    kept_name_ = name;
  }

  const Stop stop_;
  bool analyzed_ = true;  ///< what is filled in
  LanePlaces places_;
  LedgerConversationId kept_running_;
  std::string kept_name_;
};

}  // namespace ba::storage
