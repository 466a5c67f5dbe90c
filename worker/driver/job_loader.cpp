// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/job_loader.hpp"

#include "pipeline/core/conversation/resume.hpp"
#include "pipeline/core/conversation/stored_skills.hpp"
#include "pipeline/core/tool/data_sources.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "worker/driver/sub_agent_terms.hpp"

namespace ba::driver {
namespace {

bool unreadable(const Error& error) {
  return error.code == ErrorCode::Corrupt || error.code == ErrorCode::NotFound ||
         error.code == ErrorCode::InvalidArgument;
}

/// A tool may have learned since the start what it can do (a data source that was down then).
ToolSpecList with_current_descriptions(const RunProfile& profile, const ToolRegistry& registry) {
  std::vector<ToolSpec> current;  // empty: none differs
  for (std::size_t i = 0; i < profile.tools.size(); ++i) {
    const auto* entry = registry.find(profile.tools[i].name);
    if (entry == nullptr) continue;
    std::string text = description_for(entry->tool->descriptor(), profile.data_sources);
    if (text == profile.tools[i].description) continue;
    if (current.empty()) current = profile.tools.all();
    current[i].description = std::move(text);
  }
  return current.empty() ? profile.tools : ToolSpecList(std::move(current));
}

/// What the job's row knows of it.
Job job_of(const JobRemains& remains) {
  Job job;
  job.tenant = remains.tenant;
  job.job_id = remains.job_id;
  job.conversation_id = remains.conversation_id;
  job.user_id = remains.user_id;
  job.lane = remains.lane;
  job.created_at = remains.created_at;
  return job;
}

}  // namespace

void JobLoader::start(Completion<JobStart> done) {
  done_ = std::move(done);
  load();
}

Result<RunProfile> JobLoader::profile_for(const Job& job, const SkillSet& pinned) const {
  auto profile = ports_.agents.profile_for(job, pinned);
  if (!profile || !bounds_) return profile;
  return sub_agent_profile(std::move(*profile), *bounds_, ports_.registry);
}

void JobLoader::load() {
  auto job = decode_job_payload(claimed_.payload);
  if (!job) {
    report(job.error(), "decode a stored job", nullptr);
    return salvage(std::nullopt, [error = job.error()](const JobRemains& remains) {
      return endings::unreadable_job(remains, error);
    });
  }
  auto profile = profile_for(job.value());
  const EffectiveLimits limits = profile ? profile.value().limits : EffectiveLimits{};
  // Before anything is loaded: the load may be what crashes the worker.
  if (claimed_.attempt > limits.attempts_max)
    return salvage(std::move(job.value()), [max = limits.attempts_max](const JobRemains&) {
      return endings::poisoned(max);
    });
  if (claimed_.fresh) return begin(std::move(job.value()));
  ports_.ledger.load(
      self_, claimed_.id, claimed_.conversation,
      lifetime_.guarded([this, job = std::move(job.value())](Result<StoredJob> stored) mutable {
        loaded(std::move(job), std::move(stored));
      }));
}

/// The claim has proven that there is nothing to load, as what it answered is acknowledged. Not at
/// once, as no ledger would answer so.
void JobLoader::begin(Job job) {
  ports_.executor.post(lifetime_.guarded(
      [this, job = std::move(job)]() mutable { loaded(std::move(job), fresh_job()); }));
}

void JobLoader::loaded(Job job, Result<StoredJob> stored) {
  if (!stored) {
    const Error& error = stored.error();
    report(error, "load a job", &job);
    if (error.code == ErrorCode::Fenced) return answer(error);
    if (unreadable(error)) return corrupt(std::move(job), error);
    return later([this] { load(); });
  }
  const auto pinned = pinned_skills(stored->skills);
  if (!pinned) {
    report(pinned.error(), "read the skills of a job", &job);
    return corrupt(std::move(job), pinned.error());
  }
  auto profile = profile_for(job, *pinned);
  ResumeInput input{claimed_, job, std::move(stored.value()), {}, ports_.worker_version};
  if (profile) {
    input.profile = std::move(*profile);
    input.profile.tools =
        ports_.agents.held_once(with_current_descriptions(input.profile, ports_.registry));
  }
  auto state = resume(std::move(input), moment());
  if (!state) {
    report(state.error(), "resume a job", &job);
    return corrupt(std::move(job), state.error());
  }
  JobStart start;
  start.state = std::make_unique<ConversationState>(std::move(state.value()));
  if (!profile) start.unfit = profile.error();
  answer(std::move(start));
}

/// The job's rows can't be read or contradict each other.
void JobLoader::corrupt(Job job, const Error& error) {
  salvage(std::move(job), [error](const JobRemains&) { return endings::internal(error); });
}

/// A job that isn't loaded ends from what is left of it, with a dead letter.
void JobLoader::salvage(std::optional<Job> job, EndingOf ending) {
  ports_.ledger.load_remains(
      self_, claimed_.id, claimed_.conversation,
      ports_.publication.dead_letter_conversation_bytes_max,
      lifetime_.guarded([this, job = std::move(job),
                         ending = std::move(ending)](Result<JobRemains> remains) mutable {
        salvaged(std::move(job), std::move(remains), ending);
      }));
}

void JobLoader::salvaged(std::optional<Job> job, Result<JobRemains> remains,
                         const EndingOf& ending) {
  if (remains) return end(std::move(job), std::move(*remains), ending);
  const Error& error = remains.error();
  report(error, "load what is left of a job", job ? &*job : nullptr);
  if (error.code == ErrorCode::Fenced) return answer(error);
  if (!unreadable(error)) return later([this, job, ending] { salvage(job, ending); });
  if (!job) return answer(error);  // nobody knows whose job it is
  JobRemains nothing;
  nothing.conversation.unreadable = error.message;
  end(std::move(job), std::move(nothing), ending);
}

void JobLoader::end(std::optional<Job> job, JobRemains remains, const EndingOf& ending) {
  if (!job) job = job_of(remains);
  JobStart start;
  start.ending = ending(remains);
  start.ending->dead_letter = UnrunRemains{claimed_.payload, std::move(remains.conversation)};
  auto profile = profile_for(*job);
  SalvageInput input{claimed_, std::move(*job), std::move(remains), {}, ports_.worker_version};
  if (profile) input.profile = std::move(*profile);
  start.state = std::make_unique<ConversationState>(ba::salvage(std::move(input), moment()));
  answer(std::move(start));
}

/// `job` is null where the stored one can't be read.
void JobLoader::report(const Error& error, const char* what, const Job* job) const {
  LedgerAttempt attempt{.what = what, .row = claimed_.id};
  if (job != nullptr) {
    attempt.tenant = job->tenant.value;
    attempt.job = job->job_id.value;
  }
  ports_.observer.ledger_failed(error, attempt);
}

void JobLoader::later(std::function<void()> task) {
  retry_ = ports_.executor.after(kLedgerRetry, std::move(task));
}

/// The last thing it does: whoever is told may destroy it.
void JobLoader::answer(Result<JobStart> start) {
  const auto done = std::move(done_);
  done(std::move(start));
}

}  // namespace ba::driver
