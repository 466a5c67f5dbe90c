// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact/artifact_chunks.hpp"

#include <optional>

#include "pipeline/text/semantic/semantic_key.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

constexpr std::string_view kPrefix = "chunks:";

// $1 id, $2 tenant.
constexpr Statement kUpload{"artifact_upload", R"sql(
  INSERT INTO artifact_uploads AS u (id, tenant) VALUES ($1, $2)
  ON CONFLICT (id) DO UPDATE SET made_at = clock_timestamp() WHERE u.tenant = excluded.tenant
  RETURNING 1)sql"};

// A row: it is there now, or was, with the same data.
constexpr Statement kChunk{"artifact_chunk", R"sql(
  WITH put AS (
    INSERT INTO artifact_chunks
      (upload, idx, tenant, first_item, items, data, file, sha256, data_bytes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (upload, idx) DO NOTHING
    RETURNING 1)
  SELECT FROM put
  UNION ALL SELECT FROM artifact_chunks WHERE upload = $1 AND idx = $2 AND sha256 = $8)sql"};

// $1 id, $2 tenant. The row is written, so that whoever is about to remove it looks again.
constexpr Statement kHold{"artifact_upload_hold", R"sql(
  UPDATE artifact_uploads u SET made_at = clock_timestamp() WHERE id = $1 AND tenant = $2
  RETURNING (SELECT count(*) FROM artifact_chunks c WHERE c.upload = u.id) AS chunks)sql"};

constexpr Statement kGiveUp{"artifact_uploads_give_up", R"sql(
  UPDATE artifact_uploads u SET made_at = '-infinity'
  WHERE id = ANY ($1::text[])
    AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE starts_with(a.file, 'chunks:')
                    AND a.file = 'chunks:' || u.id))sql"};

// $1 upload, $2 tenant, $3 first item, $4 the one after the last; -1: to the end.
constexpr Statement kPlaces{"artifact_chunk_places", R"sql(
  SELECT idx, first_item, items, data_bytes, sum(items) OVER ()::bigint AS total,
         first_item + items > $3::bigint AND ($4::bigint < 0 OR first_item < $4::bigint) AS wanted
  FROM artifact_chunks WHERE upload = $1 AND tenant = $2 ORDER BY idx)sql"};

constexpr Statement kData{"artifact_chunk_data", R"sql(
  SELECT data, coalesce(file, '') AS file, sha256 FROM artifact_chunks
  WHERE upload = $1 AND idx = $2)sql"};

constexpr Statement kFiles{"artifact_chunk_files", R"sql(
  SELECT coalesce(file, '') AS file, data_bytes FROM artifact_chunks WHERE upload = $1)sql"};

// $1 milliseconds, $2 uploads.
constexpr Statement kRemove{"artifact_uploads_remove", R"sql(
  DELETE FROM artifact_uploads u
  WHERE made_at < now() - $1 * interval '1 millisecond'
    AND id IN (
      SELECT id FROM artifact_uploads o
      WHERE made_at < now() - $1 * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE starts_with(a.file, 'chunks:')
                        AND a.file = 'chunks:' || o.id)
      ORDER BY made_at LIMIT $2::integer))sql"};

/// Removing so many, of 64 MiB each, takes less time than a worker that ends may wait.
constexpr int kUploadsAtOnce = 8;

using Null = std::optional<std::string>;

/// A chunk that is read.
struct Place {
  int index = 0;
  std::int64_t bytes = 0;
};

struct Places {
  std::vector<Place> chunks;
  ItemRange items;
  std::int64_t bytes = 2;  ///< of the array that they make
};

Places places_of(Transaction& transaction, const std::string& upload,
                 const ArtifactQuestion& question) {
  const std::int64_t first = question.range ? question.range->first : 0;
  const std::int64_t end = question.range ? first + question.range->count : -1;
  Places places;
  for (const Row& row : transaction.run(kPlaces, upload, question.tenant.value, first, end)) {
    places.items.total = row.big("total");
    if (!row.flag("wanted")) continue;
    const std::int64_t bytes = row.big("data_bytes");
    if (places.chunks.empty()) places.items.first = row.big("first_item");
    places.items.count += row.big("items");
    places.bytes += bytes + (places.chunks.empty() ? 0 : 1);
    places.chunks.push_back({row.number("idx"), bytes});
  }
  if (places.chunks.empty()) places.items.first = places.items.total;
  return places;
}

Error gone(ErrorCode code, const std::string& id, const std::string& what) {
  return make_error(code, what + " of " + id);
}

Result<std::string> data_of(Transaction& transaction, const std::string& upload, int index,
                            const ArtifactDirectory* directory) {
  const auto rows = transaction.run(kData, upload, index);
  if (rows.empty()) return gone(ErrorCode::NotFound, upload, "a chunk is gone");
  const Row row = rows[0];
  if (!row.is_null("data")) return row.text("data");
  if (!directory) return gone(ErrorCode::NotFound, upload, "the files are elsewhere");
  Result<std::string> data = directory->read(row.text("file"));
  if (!data || sha256_hex_of(*data) == row.view("sha256")) return data;
  return gone(ErrorCode::Corrupt, upload, "a file has been changed");
}

}  // namespace

std::string file_of_upload(const std::string& upload) { return std::string(kPrefix) + upload; }

std::string upload_of_file(const std::string& file) {
  return file.starts_with(kPrefix) ? file.substr(kPrefix.size()) : "";
}

Result<void> put_chunk(Session& session, const ArtifactChunk& chunk,
                       const ArtifactDirectory* directory) {
  const DataChunk& data = chunk.chunk;
  const std::string hash = sha256_hex_of(data.data);
  Null file;
  if (directory) {
    Result<std::string> written = directory->write("chunk_" + chunk.upload, data.data);
    if (!written) return written.error();
    file = std::move(*written);
  }
  return session.run([&](Transaction& transaction) -> Result<void> {
    if (transaction.run(kUpload, chunk.upload, chunk.tenant.value).empty())
      return gone(ErrorCode::NotFound, chunk.upload, "another tenant's chunks have the name");
    const auto put = transaction.run(kChunk, chunk.upload, data.index, chunk.tenant.value,
                                     data.first_item, data.items, file ? Null() : Null(data.data),
                                     file, hash, static_cast<std::int64_t>(data.data.size()));
    if (put.empty()) return gone(ErrorCode::Conflict, chunk.upload, "a chunk has other data");
    return {};
  });
}

bool hold_upload(Transaction& transaction, const Artifact& artifact) {
  const auto rows = transaction.run(kHold, artifact.upload, artifact.tenant.value);
  return !rows.empty() && rows[0].number("chunks") == artifact.chunks;
}

bool upload_is_whole(Transaction& transaction, const std::string& upload,
                     const ArtifactDirectory* directory) {
  const auto rows = transaction.run(kFiles, upload);
  for (const Row& row : rows) {
    const std::string file = row.text("file");
    if (file.empty()) continue;
    if (!directory || !directory->holds(file, row.big("data_bytes"))) return false;
  }
  return !rows.empty();
}

void give_up_uploads(Transaction& transaction, const std::vector<std::string>& uploads) {
  if (uploads.empty()) return;
  TextArray ids;
  for (const std::string& upload : uploads) ids.add(upload);
  transaction.run(kGiveUp, ids);
}

Result<ArtifactData> read_chunks(Transaction& transaction, const std::string& upload,
                                 const ArtifactQuestion& question,
                                 const ArtifactDirectory* directory) {
  const Places places = places_of(transaction, upload, question);
  ArtifactData read;
  read.bytes = places.bytes;
  read.held_back = places.bytes > question.bytes_max;
  if (question.range) read.part = places.items;
  if (read.held_back) return read;
  read.data.reserve(static_cast<std::size_t>(places.bytes));
  read.data += '[';
  for (const Place& place : places.chunks) {
    const Result<std::string> data = data_of(transaction, upload, place.index, directory);
    if (!data) return data.error();
    if (read.data.size() > 1) read.data += ',';
    read.data += *data;
  }
  read.data += ']';
  return read;
}

Result<std::int64_t> remove_uploads(Session& session, Milliseconds age) {
  return session.run([&](Transaction& transaction) -> Result<std::int64_t> {
    return transaction.run(kRemove, age.count(), kUploadsAtOnce).affected();
  });
}

}  // namespace ba::storage
