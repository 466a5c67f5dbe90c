// SPDX-License-Identifier: Apache-2.0
#include "storage/storage.hpp"

#include "storage/artifact/installation_directory.hpp"
#include "storage/artifact/pg_artifact_store.hpp"
#include "storage/cache/pg_cache_store.hpp"
#include "storage/history/known_history.hpp"
#include "storage/ledger/group_commit.hpp"
#include "storage/ledger/pg_ledger.hpp"
#include "storage/ledger/pg_membership.hpp"
#include "storage/ledger/pg_outbox.hpp"
#include "storage/ledger/pg_retention.hpp"
#include "storage/ledger_use.hpp"
#include "storage/migrate.hpp"

namespace ba::storage {
namespace {

class OpenStorage final : public PgStorage {
 public:
  OpenStorage(const PgOptions& options, std::optional<ArtifactDirectory> directory,
              Executor& executor, Executor& lease_executor)
      : leases_("ba-pg-lease", 1, session_options(options, 0), stop_),
        reapers_("ba-pg-reap", 1, session_options(options, 1), stop_),
        readers_("ba-pg-read", 1, session_options(options, 2), stop_),
        publishers_("ba-pg-outbox", 2, session_options(options, 3), stop_),
        removers_("ba-pg-remove", 1, session_options(options, 5), stop_),
        cachers_("ba-pg-cache", 2, cache_session_options(options), stop_),
        keepers_("ba-pg-keep", 2, artifact_session_options(options), stop_),
        committers_("ba-pg-commit", options.committers, session_options(options, 6), stop_),
        deltas_(committers_, executor, {options.group_deltas_max, options.group_bytes_max},
                counters_),
        membership_(leases_, reapers_, lease_executor),
        ledger_(deltas_, committers_, readers_, executor),
        outbox_(publishers_, executor),
        retention_(removers_, executor),
        cache_(cachers_, executor),
        artifacts_(keepers_, executor, std::move(directory)) {}

  ~OpenStorage() override {
    stop_.request();
    for (SessionPool* pool : {&committers_, &keepers_, &cachers_, &removers_, &publishers_,
                              &readers_, &reapers_, &leases_})
      pool->close();
  }

  Membership& membership() override { return membership_; }
  Ledger& ledger() override { return ledger_; }
  Outbox& outbox() override { return outbox_; }
  Retention& retention() override { return retention_; }
  CacheStore& cache() override { return cache_; }
  ArtifactStore& artifacts() override { return artifacts_; }
  PgStatistics statistics() const override {
    return {counters_.deltas, counters_.transactions, retries_};
  }

 private:
  /// `slot`: of the pool's first session; each has its own.
  SessionOptions session_options(const PgOptions& options, int slot) {
    SessionOptions session;
    session.access = options.access;
    session.retry_window = options.retry_window;
    session.hot_path = true;
    session.retries = &retries_;
    session.history = &history_;
    session.slot = slot;
    return session;
  }

  /// The cache is never in the way: it is asked once, not for as long as an outage lasts.
  static SessionOptions cache_session_options(const PgOptions& options) {
    SessionOptions session;
    session.access = options.access;
    session.hot_path = true;
    session.may_lose_commits = true;
    return session;
  }

  /// Not of the history: a database that went back in time has lost the jobs that refer to them,
  /// too.
  static SessionOptions artifact_session_options(const PgOptions& options) {
    SessionOptions session;
    session.access = options.access;
    session.retry_window = options.retry_window;
    session.hot_path = true;
    return session;
  }

  Stop stop_;
  std::atomic<std::int64_t> retries_{0};
  GroupCounters counters_;
  KnownHistory history_;
  SessionPool leases_;
  SessionPool reapers_;
  SessionPool readers_;
  SessionPool publishers_;
  SessionPool removers_;
  SessionPool cachers_;
  SessionPool keepers_;
  SessionPool committers_;
  GroupCommit deltas_;
  PgMembership membership_;
  PgLedger ledger_;
  PgOutbox outbox_;
  PgRetention retention_;
  PgCacheStore cache_;
  PgArtifactStore artifacts_;
};

}  // namespace

Result<std::unique_ptr<PgStorage>> open_storage(PgOptions options, Executor& executor) {
  return open_worker_storage(std::move(options), executor, executor);
}

Result<std::unique_ptr<PgStorage>> open_worker_storage(PgOptions options, Executor& executor,
                                                       Executor& lease_executor) {
  for (const auto check : {require_own_sessions, require_schema, require_use})
    if (auto checked = check(options.access); !checked) return checked.error();
  const Stop stop;
  Session session({.access = options.access}, stop);
  const auto prepared = session.run([&](Transaction& transaction) -> Result<void> {
    create_shards(transaction, options.shards);
    return {};
  });
  if (!prepared) return prepared.error();
  std::optional<ArtifactDirectory> directory;
  if (!options.artifact_directory.empty()) {
    auto opened = installation_directory(session, options.artifact_directory);
    if (!opened) return opened.error();
    directory.emplace(std::move(*opened));
  }
  return std::make_unique<OpenStorage>(options, std::move(directory), executor, lease_executor);
}

}  // namespace ba::storage
