// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/job_watch.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/record.hpp"
#include "storage/query.hpp"
#include "worker/cli/jobs/sent_jobs.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/kafka/result_reader.hpp"

namespace ba::cli {
namespace {

constexpr Milliseconds kPoll{200};
constexpr std::size_t kPollsPerRefusal = 5;
constexpr std::size_t kPollsBeforeHint = 15;     // 3 s: a living worker takes a job much sooner
constexpr Milliseconds kLedgerPatience{10'000};  // of a database that is restarted meanwhile

using SteadyClock = std::chrono::steady_clock;

constexpr const char* kGoesOn = "the work goes on (`ba-agent show`)";
constexpr const char* kNoWorker = "no worker is alive: start `ba-agent worker`";

/// `state`: what becomes of the missing ones.
Error timed_out(const std::vector<SentJob>& missing, Milliseconds timeout,
                const std::string& state) {
  Error error = make_error(ErrorCode::Timeout, "no result of " + missing.front().job.job_id.value,
                           Retry::Later);
  if (missing.size() > 1) error.message += " and " + std::to_string(missing.size() - 1) + " more";
  error.message += " within " + seconds_text(timeout) + "; " + state;
  return error;
}

Error interrupted() {
  Error error = make_error(ErrorCode::Cancelled, "interrupted; ");
  error.message += kGoesOn;
  return error;
}

/// Shows where the jobs stand: a live line on a terminal, else a line for each change.
class Progress {
 public:
  Progress(Terminal& terminal, bool wanted) : terminal_(terminal), wanted_(wanted) {}

  void update(const std::string& job_id, const std::string& text) {
    if (!wanted_) return;
    std::string& last = shown_[job_id];
    if (!terminal_.is_live() && last != text) terminal_.message(printable(text));
    last = text;
  }

  /// Redraws the live line: the first job that is under way, the time, how many are left.
  void draw(const std::string& job_id, std::size_t left, SteadyClock::duration elapsed) {
    if (!wanted_ || !terminal_.is_live()) return;
    static constexpr const char* kSpinner[] = {"|", "/", "-", "\\"};
    const auto since = std::chrono::duration_cast<Microseconds>(elapsed);
    std::string line =
        std::string(kSpinner[frame_++ % 4]) + " " + shown_[job_id] + " · " + seconds_text(since);
    if (left > 1) line += " · " + thousands(static_cast<std::int64_t>(left)) + " jobs left";
    terminal_.live(printable(line));
  }

 private:
  Terminal& terminal_;
  const bool wanted_;
  std::size_t frame_ = 0;
  std::map<std::string, std::string> shown_;
};

class LedgerWatch final : public JobWatch {
 public:
  explicit LedgerWatch(storage::PgAccess access) : access_(std::move(access)) {}

  Result<void> wait(const std::vector<SentJob>& jobs, const WatchOptions& options,
                    const Interrupt& interrupt, Terminal& terminal, const JobEnds& ends) override {
    const auto start = SteadyClock::now();
    std::vector<SentJob> missing = jobs;
    Progress progress(terminal, options.progress);
    last_answer_ = start;
    while (!missing.empty()) {
      for (auto job = missing.begin(); job != missing.end();) {
        auto done = look(*job, progress, ends);
        if (!done) return done.error();
        job = *done ? missing.erase(job) : job + 1;
      }
      if (missing.empty()) break;
      if (interrupt.requested()) return interrupted();
      const auto elapsed = SteadyClock::now() - start;
      if (elapsed > options.timeout)
        return timed_out(missing, options.timeout, no_worker() ? kNoWorker : kGoesOn);
      if (++polls_ == kPollsBeforeHint && options.progress && no_worker())
        terminal.message(kNoWorker);
      progress.draw(missing.front().job.job_id.value, missing.size(), elapsed);
      std::this_thread::sleep_for(kPoll);
    }
    return {};
  }

 private:
  /// Whether the job has ended.
  Result<bool> look(const SentJob& sent, Progress& progress, const JobEnds& ends) {
    const Job& job = sent.job;
    auto found = storage::find_job(access_, job.tenant, job.job_id);
    const auto now = SteadyClock::now();
    if (!found && now - last_answer_ < kLedgerPatience && found.error().retry == Retry::Later)
      return false;
    if (!found) return found.error();
    last_answer_ = now;
    const std::string& id = job.job_id.value;
    if (*found) tell_if_known(sent, **found, ends);
    progress.update(id, *found ? progress_text(**found, job.messages.size()) : queued_text(id));
    if (!*found) return refused(sent, ends);
    if ((*found)->result.empty()) return false;
    auto result = decode_result((*found)->result, "");
    if (!result) return result.error();
    ends.finished(*result);
    return true;
  }

  void tell_if_known(const SentJob& sent, const storage::JobTimeline& found, const JobEnds& ends) {
    const EarlierJob earlier = earlier_job(sent.job, sent.place, found);
    if (earlier == EarlierJob::None ||
        !told_.emplace(sent.place.topic, sent.place.partition, sent.place.offset).second)
      return;
    ends.known(earlier, earlier_job_text(earlier, found));
  }

  /// Whether the record became a dead letter. A ledger that doesn't answer is look()'s concern.
  bool refused(const SentJob& sent, const JobEnds& ends) {
    if (polls_ % kPollsPerRefusal != 0) return false;
    const auto letter = storage::find_dead_letter(access_, sent.place);
    if (!letter || !*letter) return false;
    const storage::DeadLetterView& why = **letter;
    ends.refused(sent.job, (why.field.empty() ? "" : why.field + ": ") + why.message + " (" +
                               why.reason + ")");
    return true;
  }

  /// Whether that is known.
  bool no_worker() const {
    const auto health = storage::storage_health(access_);
    return health && health->live_incarnations == 0;
  }

  const storage::PgAccess access_;
  std::size_t polls_ = 0;
  SteadyClock::time_point last_answer_;
  std::set<std::tuple<std::string, int, std::int64_t>> told_;  // places of known jobs
};

/// The results topic tells nothing of a job that ended before.
constexpr const char* kNoSecondResult = "; an id that was known before gets no second result";

class TopicWatch final : public JobWatch {
 public:
  explicit TopicWatch(std::unique_ptr<kafka::ResultReader> reader) : reader_(std::move(reader)) {}

  Result<void> wait(const std::vector<SentJob>& jobs, const WatchOptions& options,
                    const Interrupt& interrupt, Terminal& terminal, const JobEnds& ends) override {
    const auto start = SteadyClock::now();
    std::vector<SentJob> missing = jobs;
    Progress progress(terminal, options.progress);
    for (const SentJob& sent : missing)
      progress.update(sent.job.job_id.value, queued_text(sent.job.job_id.value));
    while (!missing.empty()) {
      if (interrupt.requested()) return interrupted();
      const auto elapsed = SteadyClock::now() - start;
      if (elapsed > options.timeout)
        return timed_out(missing, options.timeout, std::string(kGoesOn) + kNoSecondResult);
      progress.draw(missing.front().job.job_id.value, missing.size(), elapsed);
      auto records = reader_->read(kPoll, 100);
      if (!records) return records.error();
      for (const RawRecord& record : *records) take(record, missing, ends);
    }
    return {};
  }

 private:
  static void take(const RawRecord& record, std::vector<SentJob>& missing, const JobEnds& ends) {
    const auto result =
        decode_result(record.value, header(record.headers, "content-type").value_or(""));
    if (!result) return;  // somebody else's record
    const auto job = std::find_if(missing.begin(), missing.end(), [&](const SentJob& candidate) {
      return candidate.job.tenant == result->tenant && candidate.job.job_id == result->job_id;
    });
    if (job == missing.end()) return;
    missing.erase(job);
    ends.finished(*result);
  }

  std::unique_ptr<kafka::ResultReader> reader_;
};

}  // namespace

Result<std::unique_ptr<JobWatch>> make_job_watch(const config::Config& config) {
  if (!config.postgres.access.url.empty()) {
    auto access = ledger_of(config);
    if (!access) return access.error();
    return std::unique_ptr<JobWatch>(std::make_unique<LedgerWatch>(std::move(*access)));
  }
  auto options = kafka_of(config);
  if (!options) return options.error();
  auto reader =
      kafka::ResultReader::create(*options, {options->topics.results}, kafka::ReadFrom::End);
  if (!reader) return reader.error();
  return std::unique_ptr<JobWatch>(std::make_unique<TopicWatch>(std::move(*reader)));
}

}  // namespace ba::cli
