// SPDX-License-Identifier: Apache-2.0
#include "tests/storage/storage_fixture.hpp"

#include <iterator>
#include <sstream>
#include <stdexcept>

#include "storage/control.hpp"

namespace ba::storage {
namespace {

// Every table but incarnations (the dead one was marked by the test) as text, without the times a
// refused call could not change anyway.
constexpr const char* kDump = R"sql(
  SELECT string_agg(line, chr(10) ORDER BY line) FROM (
    SELECT 'conversation ' || c::text AS line FROM conversations c
    UNION ALL SELECT 'job ' || j::text FROM jobs j
    UNION ALL SELECT 'attempt ' || a::text FROM attempts a
    UNION ALL SELECT 'round ' || r::text FROM rounds r
    UNION ALL SELECT 'step ' || s::text FROM steps s
    UNION ALL SELECT 'message ' || m::text FROM messages m
    UNION ALL SELECT 'call ' || t::text FROM tool_calls t
    UNION ALL SELECT 'skill ' || u::text FROM skill_uses u
    UNION ALL SELECT 'content ' || c::text FROM skill_contents c
    UNION ALL SELECT 'wasted ' || w::text FROM wasted_model_calls w
    UNION ALL SELECT 'compression ' || c::text FROM compressions c
    UNION ALL SELECT 'refused ' || r::text FROM refused_contexts r
    UNION ALL SELECT 'count ' || e::text FROM exact_counts e
    UNION ALL SELECT 'compressed ' || c::text FROM compressed_histories c
    UNION ALL SELECT 'reminder ' || r::text FROM reminders r
    UNION ALL SELECT 'summary ' || s::text FROM summaries s
    UNION ALL SELECT 'metrics ' || m::text FROM metrics m
    UNION ALL SELECT 'offset ' || o::text FROM intake_offsets o
    UNION ALL SELECT 'letter ' || d::text FROM dead_letters d
    UNION ALL SELECT 'outbox ' || o::text FROM outbox o
    UNION ALL SELECT 'shard ' || s::text FROM outbox_shards s
  ) AS lines)sql";

}  // namespace

StorageRig::StorageRig() {
  PgOptions options;
  options.access = schema_.access();
  options.shards = kShards;
  auto opened = open_storage(options, executor_);
  if (!opened) throw std::runtime_error(opened.error().message);
  storage_ = *std::move(opened);
}

void StorageRig::expire(IncarnationId incarnation) {
  schema_.execute("UPDATE incarnations SET lease_until = clock_timestamp() WHERE id = " +
                  std::to_string(incarnation.value));
}

void StorageRig::lose_newest(IncarnationId incarnation) {
  const std::string whose = " WHERE incarnation = " + std::to_string(incarnation.value);
  schema_.execute("DELETE FROM incarnation_marks" + whose + " AND mark = 1");
  schema_.execute("UPDATE incarnation_marks SET mark = mark - 1" + whose);
}

void StorageRig::lose(IncarnationId incarnation) {
  const std::string self = std::to_string(incarnation.value);
  schema_.execute("DELETE FROM incarnation_marks WHERE incarnation = " + self);
  schema_.execute("DELETE FROM incarnations WHERE id = " + self);
}

Result<JobStanding> StorageRig::control(const std::string& job_id, JobAction action) {
  const auto job =
      control_job(schema_.access(), {TenantId("acme"), JobId(job_id)}, action, "tester");
  if (!job) return job.error();
  return job->after;
}

Result<UnresolvedCall> StorageRig::resolve(const std::string& job_id, const CallAnswer& answer) {
  const auto resolved =
      resolve_call(schema_.access(), {TenantId("acme"), JobId(job_id)}, answer, "tester");
  if (!resolved) return resolved.error();
  return resolved->call;
}

void StorageRig::cut_connections() {
  schema_.query(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
      "WHERE pid <> pg_backend_pid() AND application_name = '" +
      schema_.access().application_name + "'");
}

void StorageRig::age(Milliseconds by) {
  const std::string span = std::to_string(by.count()) + " * interval '1 millisecond'";
  schema_.execute("UPDATE jobs SET received_at = received_at - " + span +
                  ", finished_at = finished_at - " + span + ", idle_since = idle_since - " + span);
  schema_.execute("UPDATE conversations SET updated_at = updated_at - " + span);
  schema_.execute("UPDATE dead_letters SET created_at = created_at - " + span);
  schema_.execute("UPDATE summaries SET began_at = began_at - " + span +
                  ", ended_at = ended_at - " + span);
  for (const char* table : {"outbox", "outbox_shards"})
    schema_.execute("UPDATE " + std::string(table) + " SET published_at = published_at - " + span +
                    " WHERE published_at IS NOT NULL");
}

void StorageRig::another_removes(bool removes) {
  const std::string call = removes ? "pg_advisory_lock" : "pg_advisory_unlock";
  schema_.query("SELECT " + call +
                "(hashtextextended('ba retention ' || current_schema(), 0))::text");
}

std::vector<std::string> StorageRig::job_ids() {
  std::istringstream ids(schema_.query("SELECT string_agg(job_id, ' ' ORDER BY job_id) FROM jobs"));
  return {std::istream_iterator<std::string>(ids), {}};
}

std::string StorageRig::dump() { return schema_.query(kDump); }

}  // namespace ba::storage

namespace ba {

std::unique_ptr<LedgerRig> make_ledger_rig() { return std::make_unique<storage::StorageRig>(); }

}  // namespace ba
