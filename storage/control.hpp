#pragma once
// SPDX-License-Identifier: Apache-2.0
// What people ask of jobs, for the command line. Each call is one transaction on a connection of
// its own, which locks the job's row and looks at its state; workers learn of it with their claims.
// No fence: nothing here belongs to an incarnation. Blocking; any thread.

#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/core/job/job_control.hpp"
#include "pipeline/core/tool/resolution.hpp"
#include "storage/access.hpp"

namespace ba::storage {

struct JobName {
  TenantId tenant;
  JobId job;
};

struct ControlledJob {
  JobStanding before;
  JobStanding after;
};

/// Writes what is asked of a job, by whom. NotFound: there is no such job; Conflict: see
/// apply_action().
Result<ControlledJob> control_job(const PgAccess& access, const JobName& name, JobAction action,
                                  const std::string& by);

struct ResolvedCall {
  UnresolvedCall call;
  int left = 0;  ///< calls of the job that still want an answer; 0: it is ready
};

/// Writes what became of a call for which a job waits; the job is ready once no call is left.
/// NotFound: there is no such job or call; Conflict: see may_resolve(); else see call_meant() and
/// resolved_result().
Result<ResolvedCall> resolve_call(const PgAccess& access, const JobName& name,
                                  const CallAnswer& answer, const std::string& by);

/// NotFound. Names the tenants that have a job of this id, up to five of those whose rows the
/// database shows to whoever asks; looked for are the first thousand tenants by name.
Error no_such_job(const PgAccess& access, const JobName& name);

/// "tenant "demo" has a job of that id: --tenant demo"; empty: nobody has one that may be named.
std::string job_elsewhere(const PgAccess& access, const JobName& name);

}  // namespace ba::storage
