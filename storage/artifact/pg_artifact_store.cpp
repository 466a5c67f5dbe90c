// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact/pg_artifact_store.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "storage/artifact/artifact_chunks.hpp"
#include "storage/artifact/artifact_make_room.sql.hpp"
#include "storage/artifact/artifact_remove.sql.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

// $1 tenant, $2 id. What is made again is as young as if it were new.
constexpr Statement kMadeAgain{"artifact_made_again", R"sql(
  UPDATE artifacts SET made_at = clock_timestamp(), accessed_at = clock_timestamp()
  WHERE tenant = $1 AND id = $2
  RETURNING coalesce(file, '') AS file, data_bytes)sql"};

// $1 tenant, $2 id, $3 data, $4 file: one of them is null.
constexpr Statement kStore{"artifact_store", R"sql(
  INSERT INTO artifacts AS a (tenant, id, data, file, data_bytes) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant, id) DO UPDATE
  SET data = excluded.data, file = excluded.file, made_at = excluded.made_at,
      accessed_at = excluded.accessed_at)sql"};

constexpr Statement kRefer{"artifact_refer", R"sql(
  INSERT INTO artifact_references (conversation, artifact, job, round, step, idx, tenant)
  SELECT conversation, $2, id, $4, $5, $6, tenant FROM jobs WHERE tenant = $1 AND id = $3
  ON CONFLICT DO NOTHING)sql"};

// $1 tenant, $2 id, $3 the asker's job, $4 bytes of data that are given.
constexpr Statement kRead{"artifact_read", R"sql(
  UPDATE artifacts a SET accessed_at = clock_timestamp()
  FROM jobs j
  WHERE a.tenant = $1 AND a.id = $2 AND j.tenant = $1 AND j.id = $3
    AND EXISTS (SELECT 1 FROM artifact_references r
                WHERE r.conversation = j.conversation AND r.artifact = a.id AND r.tenant = a.tenant)
  RETURNING CASE WHEN a.data_bytes <= $4::bigint THEN a.data END AS data,
            coalesce(a.file, '') AS file, a.data_bytes)sql"};

constexpr Statement kOneAtATime{"artifact_lock", R"sql(
  SELECT pg_try_advisory_xact_lock(hashtextextended('ba artifacts ' || current_schema(), 0))
         AS locked)sql"};

// A call that ran again after a crash may have given something else; one that never ended, because
// its job did, has told nobody of what it gave.
constexpr Statement kForget{"artifact_forget", R"sql(
  DELETE FROM artifact_references r USING jobs j
  WHERE j.id = r.job AND r.step >= 0
    AND CASE WHEN j.state = 'finished'
        THEN NOT EXISTS (SELECT 1 FROM tool_calls t
                         WHERE t.job = r.job AND t.round = r.round AND t.step = r.step
                           AND t.idx = r.idx AND t.artifact_id = r.artifact)
        ELSE EXISTS (SELECT 1 FROM tool_calls t
                     WHERE t.job = r.job AND t.round = r.round AND t.step = r.step
                       AND t.idx = r.idx AND t.finished_at IS NOT NULL
                       AND t.artifact_id IS DISTINCT FROM r.artifact) END)sql"};

constexpr Statement kMeasure{"artifact_measure", R"sql(
  SELECT coalesce(sum(data_bytes), 0)::bigint AS bytes FROM artifacts)sql"};

constexpr Statement kFiles{"artifact_files", R"sql(
  SELECT file FROM artifacts WHERE file IS NOT NULL
  UNION ALL SELECT file FROM artifact_chunks WHERE file IS NOT NULL)sql"};

using Null = std::optional<std::string>;

void refer(Transaction& transaction, const Artifact& artifact) {
  const Position& call = artifact.position;
  transaction.run(kRefer, artifact.tenant.value, artifact.id, artifact.job.value, call.round,
                  call.step, call.index);
}

/// Whether it is there already, with its data.
bool made_again(Transaction& transaction, const Artifact& artifact,
                const ArtifactDirectory* directory) {
  const auto rows = transaction.run(kMadeAgain, artifact.tenant.value, artifact.id);
  if (rows.empty()) return false;
  const std::string file = rows[0].text("file");
  if (const std::string upload = upload_of_file(file); !upload.empty())
    return upload_is_whole(transaction, upload, directory);
  return file.empty() || (directory && directory->holds(file, rows[0].big("data_bytes")));
}

void store(Transaction& transaction, const Artifact& artifact, const Null& file) {
  transaction.run(kStore, artifact.tenant.value, artifact.id, file ? Null() : Null(artifact.data),
                  file, artifact.size());
}

Error incomplete(const Artifact& artifact) {
  return make_error(ErrorCode::NotFound, "not all chunks of " + artifact.id + " are there");
}

/// Its chunks are there already, whoever reads them or not.
Result<ArtifactKept> keep_upload(Session& session, const Artifact& artifact,
                                 const ArtifactDirectory* directory) {
  return session.run([&](Transaction& transaction) -> Result<ArtifactKept> {
    const bool there = made_again(transaction, artifact, directory);
    if (there) {
      give_up_uploads(transaction, {artifact.upload});
    } else {
      if (!hold_upload(transaction, artifact)) return incomplete(artifact);
      store(transaction, artifact, file_of_upload(artifact.upload));
    }
    refer(transaction, artifact);
    return there ? ArtifactKept::Again : ArtifactKept::Stored;
  });
}

/// With the file written between two transactions: the server ends those that stand idle.
Result<ArtifactKept> keep_it(Session& session, const Artifact& artifact,
                             const ArtifactDirectory* directory) {
  if (!artifact.upload.empty()) return keep_upload(session, artifact, directory);
  const auto first = session.run([&](Transaction& transaction) -> Result<ArtifactKept> {
    const bool there = made_again(transaction, artifact, directory);
    if (!there && !directory) store(transaction, artifact, Null());
    if (there || !directory) refer(transaction, artifact);
    return there ? ArtifactKept::Again : ArtifactKept::Stored;
  });
  if (!first || *first == ArtifactKept::Again || !directory) return first;
  const Result<std::string> file = directory->write(artifact.id, artifact.data);
  if (!file) return file.error();
  return session.run([&](Transaction& transaction) -> Result<ArtifactKept> {
    store(transaction, artifact, *file);
    refer(transaction, artifact);
    return ArtifactKept::Stored;
  });
}

Error not_found(const std::string& id) {
  return make_error(ErrorCode::NotFound, "there is no artifact " + id + " for this job");
}

Result<std::string> from_file(const ArtifactDirectory* directory, const ArtifactQuestion& question,
                              const std::string& file) {
  if (!directory) return not_found(question.id);
  Result<std::string> data = directory->read(file);
  if (!data || artifact_id(question.tenant, sha256_hex_of(*data)) == question.id) return data;
  return make_error(ErrorCode::Corrupt, "the file of " + question.id + " has been changed");
}

ArtifactData whole(std::string data) {
  ArtifactData read;
  read.bytes = static_cast<std::int64_t>(data.size());
  read.data = std::move(data);
  return read;
}

/// What a row says: the data, or the file that has it.
struct Stored {
  ArtifactData read;
  std::string file;  ///< empty: nothing is left to be read
};

Result<ArtifactData> read_it(Session& session, const ArtifactQuestion& question,
                             const ArtifactDirectory* directory) {
  auto stored = session.run([&](Transaction& transaction) -> Result<Stored> {
    const auto rows = transaction.run(kRead, question.tenant.value, question.id, question.job.value,
                                      question.bytes_max);
    if (rows.empty()) return not_found(question.id);
    Stored found;
    found.file = rows[0].text("file");
    found.read.bytes = rows[0].big("data_bytes");
    const std::string upload = upload_of_file(found.file);
    found.read.held_back = upload.empty() && found.read.bytes > question.bytes_max;
    if (found.read.held_back || !upload.empty()) found.file.clear();
    if (found.read.held_back || !found.file.empty()) return found;
    if (upload.empty()) {
      found.read = whole(rows[0].text("data"));
      return found;
    }
    Result<ArtifactData> read = read_chunks(transaction, upload, question, directory);
    if (!read)
      return read.error().code == ErrorCode::NotFound ? not_found(question.id) : read.error();
    found.read = std::move(*read);
    return found;
  });
  if (!stored) return stored.error();
  if (stored->file.empty()) return std::move(stored->read);
  Result<std::string> data = from_file(directory, question, stored->file);
  if (!data) return data.error();
  return whole(std::move(*data));
}

struct Cleaned {
  ArtifactCleaning told;
  bool did = false;
  std::vector<std::string> files;    ///< to be removed now that no row names them
  std::vector<std::string> uploads;  ///< likewise
};

std::int64_t count_removed(const Rows& rows, Cleaned& cleaned) {
  for (const Row& row : rows) {
    cleaned.told.bytes += row.big("data_bytes");
    const std::string file = row.text("file");
    const std::string upload = upload_of_file(file);
    if (!upload.empty())
      cleaned.uploads.push_back(upload);
    else if (!file.empty())
      cleaned.files.push_back(file);
  }
  return static_cast<std::int64_t>(rows.size());
}

void count_reasons(const Rows& rows, ArtifactCleaning& told) {
  for (const Row& row : rows) {
    const std::string_view reason = row.view("reason");
    ++(reason == "aged" ? told.aged : reason == "closed" ? told.closed : told.unreferenced);
  }
}

/// A worker that ends waits for one statement at most: that is over in 5 s.
constexpr const char* kShortStatements = "SET LOCAL statement_timeout = '4s'";

Result<Cleaned> clean_rows(const Session& session, Transaction& transaction,
                           const ArtifactRules& rules) {
  Cleaned cleaned;
  transaction.execute(kShortStatements);
  if (!transaction.run(kOneAtATime).first().flag("locked")) return cleaned;
  cleaned.did = true;
  transaction.run(kForget);
  if (session.stopping()) return Session::cancelled();
  const std::int64_t young = rules.settled_after.count();
  const Rows gone = transaction.run(sql::kArtifactRemove, young, rules.max_age.count(),
                                    rules.remove_when_closed, rules.batch_rows_max);
  count_removed(gone, cleaned);
  count_reasons(gone, cleaned.told);
  if (session.stopping()) return Session::cancelled();
  const std::int64_t bytes = transaction.run(kMeasure).first().big("bytes");
  if (bytes > rules.bytes_max)
    cleaned.told.unused =
        count_removed(transaction.run(sql::kArtifactMakeRoom, young,
                                      bytes - rules.bytes_max / 10 * 8, rules.batch_rows_max),
                      cleaned);
  give_up_uploads(transaction, cleaned.uploads);
  cleaned.told.more = std::max(cleaned.told.removed(), cleaned.told.unused) >= rules.batch_rows_max;
  return cleaned;
}

/// Files that no row names: of a crash between a file and its row, or between a row and its file.
Result<std::int64_t> remove_orphans(Session& session, const ArtifactDirectory& directory,
                                    Milliseconds age) {
  const Result<std::vector<std::string>> files = directory.older_than(age);
  if (!files) return files.error();
  if (files->empty()) return 0;
  auto known = session.run([](Transaction& transaction) -> Result<std::set<std::string>> {
    std::set<std::string> names;
    for (const Row& row : transaction.run(kFiles)) names.insert(row.text("file"));
    return names;
  });
  if (!known) return known.error();
  std::int64_t removed = 0;
  for (const std::string& file : *files) {
    if (session.stopping()) return Session::cancelled();
    if (known->contains(file)) continue;
    directory.remove(file);
    ++removed;
  }
  return removed;
}

/// Of one cleaning, so that others are served between two.
constexpr int kRemovalsMax = 16;

/// Chunks that no artifact names: of a crash, or of artifacts that were removed.
Result<std::int64_t> remove_given_up(Session& session, Cleaned& cleaned, Milliseconds age) {
  std::int64_t removed = 0;
  bool more = true;
  for (int i = 0; i < kRemovalsMax && more; ++i) {
    if (session.stopping()) return Session::cancelled();
    const Result<std::int64_t> some = remove_uploads(session, age);
    if (!some) return some.error();
    removed += *some;
    more = *some > 0;
  }
  cleaned.told.more = cleaned.told.more || more;
  const auto of_artifacts = static_cast<std::int64_t>(cleaned.uploads.size());
  return std::max<std::int64_t>(0, removed - of_artifacts);
}

Result<ArtifactCleaning> clean_up(Session& session, const ArtifactRules& rules,
                                  const ArtifactDirectory* directory) {
  Result<Cleaned> cleaned = session.run(
      [&](Transaction& transaction) { return clean_rows(session, transaction, rules); });
  if (!cleaned) return cleaned.error();
  if (!cleaned->did) return cleaned->told;
  const Result<std::int64_t> chunks = remove_given_up(session, *cleaned, rules.uploads_after);
  if (!chunks) return chunks.error();
  cleaned->told.orphans = *chunks;
  if (!directory) return cleaned->told;
  for (const std::string& file : cleaned->files) {
    if (session.stopping()) return Session::cancelled();  // they are orphans now
    directory->remove(file);
  }
  const Result<std::int64_t> orphans = remove_orphans(session, *directory, rules.orphans_after);
  if (!orphans) return orphans.error();
  cleaned->told.orphans += *orphans;
  return cleaned->told;
}

/// `work(Session&) -> Result<T>` on a thread of the pool, the answer through the executor.
template <typename T, typename Work>
void answer_with(SessionPool& pool, Executor& executor, Completion<T> done, Work work) {
  pool.submit([&executor, done = std::move(done), work = std::move(work)](Session& session) {
    auto answer = std::make_shared<Result<T>>(work(session));
    executor.post([done, answer] { done(std::move(*answer)); });
  });
}

}  // namespace

void PgArtifactStore::put(ArtifactChunk chunk, Completion<void> done) {
  answer_with(sessions_, executor_, std::move(done),
              [this, chunk = std::move(chunk)](Session& session) {
                return put_chunk(session, chunk, directory());
              });
}

void PgArtifactStore::keep(Artifact artifact, Completion<ArtifactKept> done) {
  answer_with(sessions_, executor_, std::move(done),
              [this, artifact = std::move(artifact)](Session& session) {
                return keep_it(session, artifact, directory());
              });
}

void PgArtifactStore::read(ArtifactQuestion question, Completion<ArtifactData> done) {
  answer_with(sessions_, executor_, std::move(done),
              [this, question = std::move(question)](Session& session) {
                return read_it(session, question, directory());
              });
}

void PgArtifactStore::clean(ArtifactRules rules, Completion<ArtifactCleaning> done) {
  answer_with(sessions_, executor_, std::move(done),
              [this, rules](Session& session) { return clean_up(session, rules, directory()); });
}

}  // namespace ba::storage
