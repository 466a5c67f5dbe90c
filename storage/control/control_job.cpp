// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/ledger/sub_agent_records.hpp"
#include "storage/control.hpp"
#include "storage/control/no_such_job.hpp"
#include "storage/control/write_once.hpp"

namespace ba::storage {
namespace {

constexpr Statement kLockJob{"lock_job", R"sql(
  SELECT id, state, coalesce(request, '') AS request,
         (SELECT p.tenant || '/' || p.job_id FROM jobs p WHERE p.id = j.parent) AS parent
  FROM jobs j
  WHERE tenant = $1 AND job_id = $2 FOR NO KEY UPDATE)sql"};

constexpr Statement kWriteRequest{"write_request", R"sql(
  UPDATE jobs
  SET state = $2, request = nullif($3, ''), requested_at = now(), requested_by = $4,
      idle_ms = idle_ms + CASE WHEN idle_since IS NOT NULL AND $2 NOT IN ('paused', 'waiting')
                               THEN extract(epoch FROM now() - idle_since) * 1000 ELSE 0 END,
      idle_since = CASE WHEN $2 IN ('paused', 'waiting') THEN coalesce(idle_since, now()) END
  WHERE id = $1)sql"};

std::string shown(const JobName& name) { return name.tenant.value + "/" + name.job.value; }

Result<ControlledJob> control(Transaction& transaction, const JobName& name, JobAction action,
                              const std::string& by) {
  const auto rows = transaction.run(kLockJob, name.tenant.value, name.job.value);
  if (rows.empty()) return no_such_job(transaction, name);
  const Row row = rows[0];
  if (!row.is_null("parent")) return ask_its_job(shown(name), row.text("parent"));
  ControlledJob job;
  job.before = {parse_job_state(row.view("state")).value(),
                parse_job_request(row.view("request")).value()};
  const auto after = apply_action(action, job.before, shown(name));
  if (!after) return after.error();
  job.after = *after;
  if (job.after == job.before) return job;
  transaction.run(kWriteRequest, row.big("id"), std::string(to_string(job.after.state)),
                  std::string(to_string(job.after.request)), by);
  return job;
}

}  // namespace

Result<ControlledJob> control_job(const PgAccess& access, const JobName& name, JobAction action,
                                  const std::string& by) {
  return write_once(
      access, [&](Transaction& transaction) { return control(transaction, name, action, by); });
}

}  // namespace ba::storage
