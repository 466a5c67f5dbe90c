// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact_admin.hpp"
#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "storage/artifact/artifact_chunks.hpp"
#include "storage/artifact/artifacts_kept.sql.hpp"
#include "storage/artifact/installation_directory.hpp"
#include "storage/ledger/shared_columns.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {
namespace {

// $1 tenants and $2 ids of artifacts, $3 rows of each.
constexpr Statement kUses{"artifact_uses", R"sql(
  SELECT k.tenant, k.id, coalesce(c.conversation_id, '') AS conversation,
         coalesce(j.job_id, '') AS job, u.round, u.step, u.idx, coalesce(t.tool_name, '') AS tool
  FROM unnest($1::text[], $2::text[]) AS k (tenant, id)
  CROSS JOIN LATERAL (
    SELECT * FROM artifact_references r WHERE r.tenant = k.tenant AND r.artifact = k.id
    ORDER BY r.job DESC, r.round DESC, r.step DESC, r.idx DESC LIMIT $3::integer) AS u
  LEFT JOIN conversations c ON c.id = u.conversation
  LEFT JOIN jobs j ON j.id = u.job
  LEFT JOIN tool_calls t ON t.job = u.job AND t.round = u.round AND t.step = u.step AND t.idx = u.idx
  ORDER BY u.job DESC, u.round DESC, u.step DESC, u.idx DESC)sql"};

constexpr Statement kData{"artifact_data", R"sql(
  SELECT data, file FROM artifacts WHERE tenant = $1 AND id = $2)sql"};

using Name = std::pair<std::string, std::string>;  // tenant, id

KeptArtifact artifact_of(const Row& row) {
  KeptArtifact artifact;
  artifact.tenant = row.text("tenant");
  artifact.id = row.text("id");
  artifact.bytes = row.big("data_bytes");
  artifact.in_file = row.flag("in_file");
  artifact.made_at = row.text("made");
  artifact.used_at = row.text("used");
  artifact.uses_count = row.big("uses");
  return artifact;
}

ArtifactUse use_of(const Row& row) {
  ArtifactUse use;
  use.conversation = row.text("conversation");
  use.job = row.text("job");
  use.position = position_of(row);
  use.tool = row.text("tool");
  use.taken_over = use.position.step < 0;
  return use;
}

void add_uses(Transaction& transaction, std::vector<KeptArtifact>& artifacts, int uses_max) {
  TextArray tenants;
  TextArray ids;
  std::map<Name, KeptArtifact*> by_name;
  for (KeptArtifact& artifact : artifacts) {
    tenants.add(artifact.tenant);
    ids.add(artifact.id);
    by_name[{artifact.tenant, artifact.id}] = &artifact;
  }
  for (const Row& row : transaction.run(kUses, tenants, ids, uses_max))
    by_name.at({row.text("tenant"), row.text("id")})->uses.push_back(use_of(row));
}

Error not_found(const std::string& message) { return make_error(ErrorCode::NotFound, message); }

/// Where data is: in the row, or in a file of that name.
struct Place {
  std::optional<std::string> data;
  std::string file;
};

Result<Place> place_of(Transaction& transaction, const TenantId& tenant, const std::string& id) {
  const auto rows = transaction.run(kData, tenant.value, id);
  if (rows.empty()) return not_found("there is no artifact " + id + " of this tenant");
  Place place;
  if (rows[0].is_null("file"))
    place.data = rows[0].text("data");
  else
    place.file = rows[0].text("file");
  return place;
}

/// Their files, where there are any, are looked for below the directory.
Result<std::string> chunked_data(Session& session, const ArtifactQuestion& question,
                                 const std::string& upload, const std::string& directory) {
  std::optional<ArtifactDirectory> files;
  if (!directory.empty()) {
    auto opened = existing_installation_directory(session, directory);
    if (!opened) return opened.error();
    files.emplace(std::move(*opened));
  }
  auto read = session.run([&](Transaction& transaction) {
    return read_chunks(transaction, upload, question, files ? &*files : nullptr);
  });
  if (!read && read.error().code == ErrorCode::NotFound)
    return not_found("a chunk of " + question.id + " is gone: " + read.error().message);
  if (!read) return read.error();
  return std::move(read->data);
}

}  // namespace

Result<std::vector<KeptArtifact>> kept_artifacts(const PgAccess& access,
                                                 const ArtifactFilter& filter, int rows_max,
                                                 int uses_max) {
  using Answer = Result<std::vector<KeptArtifact>>;
  return read_once(access, [&](Transaction& transaction) -> Answer {
    auto artifacts = read_all(transaction.run(sql::kArtifactsKept, filter.id, filter.tenant,
                                              filter.conversation, filter.job, rows_max),
                              artifact_of);
    if (!artifacts.empty()) add_uses(transaction, artifacts, uses_max);
    return artifacts;
  });
}

Result<std::string> artifact_data(const PgAccess& access, const TenantId& tenant,
                                  const std::string& id, const std::string& directory) {
  const Stop stop;
  Session session({.access = access, .read_only = true}, stop);
  Result<Place> place =
      session.run([&](Transaction& transaction) { return place_of(transaction, tenant, id); });
  if (!place) return place.error();
  if (place->data) return std::move(*place->data);
  if (!upload_of_file(place->file).empty())
    return chunked_data(session, {id, tenant, {}}, upload_of_file(place->file), directory);
  const auto files = existing_installation_directory(session, directory);
  if (!files) return files.error();
  Result<std::string> data = files->read(place->file);
  if (!data && data.error().code == ErrorCode::NotFound)
    return not_found("the file of " + id + " is gone from tools.artifacts.directory");
  if (!data || artifact_id(tenant, sha256_hex_of(*data)) == id) return data;
  return make_error(ErrorCode::Corrupt,
                    "the file of " + id + " has been changed: its content isn't what was kept");
}

}  // namespace ba::storage
