// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/sent_jobs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <utility>

#include "pipeline/text/contract/encode_job.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/kafka/job_producer.hpp"

namespace ba::cli {
namespace {

kafka::OutgoingRecord record_of(const Job& job, const kafka::KafkaTopics& topics) {
  kafka::OutgoingRecord record;
  record.topic = topics.jobs[static_cast<std::size_t>(job.lane)];
  record.key = job.conversation_id.value;
  record.value = job_to_json(job);
  record.headers = {{"content-type", "application/json"}};
  return record;
}

std::string place_text(const RecordSource& place) {
  return place.topic + "[" + std::to_string(place.partition) + "]@" + std::to_string(place.offset);
}

/// A topic that is missing is a matter of the configuration, as it is to a worker that starts.
Error of_topic(Error error) {
  if (error.code == ErrorCode::NotFound) error.detail = kConfigurationDetail;
  return error;
}

/// But for what each sending has of its own: its time and its headers.
bool same_content(Job sent, const std::string& stored_payload) {
  const auto stored = decode_job_payload(stored_payload);
  if (!stored) return false;
  sent.created_at = stored->created_at;
  sent.traceparent = stored->traceparent;
  sent.tracestate = stored->tracestate;
  sent.source_event_id = stored->source_event_id;
  sent.correlation_id = stored->correlation_id;
  return sent == *stored;
}

bool same_place(const RecordSource& one, const RecordSource& other) {
  return one.topic == other.topic && one.partition == other.partition && one.offset == other.offset;
}

constexpr std::size_t kToldMax = 10;

std::string name_of(const Job& job) { return job.tenant.value + "/" + job.conversation_id.value; }

/// What is going on now: the tool that runs, or the model that is asked.
std::string activity(const storage::JobTimeline& timeline) {
  for (auto call = timeline.tool_calls.rbegin(); call != timeline.tool_calls.rend(); ++call)
    if (call->state == "running" || call->state == "intended") return call->tool_name;
  return "asking the model";
}

/// A round gets its row with its first reply: until then, the one before it is the last that is
/// there.
std::size_t current_round(const storage::JobTimeline& timeline, std::size_t messages) {
  const auto closed =
      std::count_if(timeline.rounds.begin(), timeline.rounds.end(),
                    [](const storage::RoundView& round) { return round.closed_at.has_value(); });
  return std::min(static_cast<std::size_t>(closed) + 1, std::max<std::size_t>(messages, 1));
}

}  // namespace

Sending send_jobs(const std::vector<Job>& jobs, const kafka::KafkaOptions& kafka) {
  Sending sending;
  auto producer = kafka::JobProducer::create(kafka);
  if (!producer) {
    sending.failure = producer.error();
    return sending;
  }
  std::vector<kafka::OutgoingRecord> records;
  records.reserve(jobs.size());
  for (const Job& job : jobs) records.push_back(record_of(job, kafka.topics));
  const auto places = (*producer)->send_all(std::move(records));
  for (std::size_t index = 0; index < places.size(); ++index) {
    if (places[index])
      sending.sent.push_back({jobs[index], *places[index]});
    else if (!sending.failure)
      sending.failure = of_topic(places[index].error());
  }
  return sending;
}

void show_place(const SentJob& sent, Terminal& terminal) {
  terminal.out() << nlohmann::ordered_json{{"tenant", sent.job.tenant.value},
                                           {"job_id", sent.job.job_id.value},
                                           {"conversation_id", sent.job.conversation_id.value},
                                           {"topic", sent.place.topic},
                                           {"partition", sent.place.partition},
                                           {"offset", sent.place.offset}}
                        .dump()
                 << "\n";
}

void tell_place(const SentJob& sent, Terminal& terminal) {
  terminal.message("submitted " + sent.job.tenant.value + "/" + sent.job.job_id.value + " as " +
                   place_text(sent.place));
}

void show_sent(const std::vector<SentJob>& jobs, const SubmitArguments& arguments,
               Terminal& terminal) {
  for (const SentJob& sent : jobs) {
    if (arguments.json) {
      show_place(sent, terminal);
      continue;
    }
    terminal.out() << sent.job.job_id.value << "\n";
    if (!arguments.quiet) tell_place(sent, terminal);
  }
}

void show_unfinished(const std::vector<SentJob>& jobs, const SubmitArguments& arguments,
                     Terminal& terminal) {
  for (const SentJob& sent : jobs) {
    if (arguments.json)
      show_place(sent, terminal);
    else if (arguments.quiet)
      tell_place(sent, terminal);
  }
}

EarlierJob earlier_job(const Job& sent, const RecordSource& place,
                       const storage::JobTimeline& found) {
  if (same_place(place, found.source)) return EarlierJob::None;
  return same_content(sent, found.payload) ? EarlierJob::SameContent : EarlierJob::OtherContent;
}

std::string earlier_job_text(EarlierJob earlier, const storage::JobTimeline& found) {
  const std::string name = found.job.tenant.value + "/" + found.job.job_id.value;
  const std::string since = clock_text(found.job.received_at) + " UTC";
  if (earlier == EarlierJob::SameContent)
    return name + " is known since " + since +
           ", with the same content: it is not run again, its one result is shown";
  return name + " is known since " + since +
         ", with other content: what was submitted now was NOT run, the result shown is the "
         "earlier "
         "job's; give another --job-id to run it";
}

std::string conversation_note(const Job& job,
                              const std::optional<storage::ConversationStanding>& standing) {
  if (!standing) return "conversation " + name_of(job) + " is new";
  return "continues conversation " + name_of(job) + " (" +
         (standing->imported ? "imported, " : "") + counted(standing->jobs, "job") + ")";
}

Result<void> tell_conversations(const storage::PgAccess& access, const std::vector<Job>& jobs,
                                Terminal& terminal) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Job& job : jobs) {
    if (!seen.emplace(job.tenant.value, job.conversation_id.value).second) continue;
    if (seen.size() > kToldMax) continue;
    const auto standing = storage::find_conversation(access, job.tenant, job.conversation_id);
    if (!standing) return standing.error();
    terminal.message(printable(conversation_note(job, *standing)));
  }
  if (seen.size() > kToldMax)
    terminal.message(
        "and " + counted(static_cast<std::int64_t>(seen.size() - kToldMax), "more conversation"));
  return {};
}

std::string progress_text(const storage::JobTimeline& timeline, std::size_t messages) {
  const storage::JobSummary& job = timeline.job;
  std::string out = job.job_id.value;
  if (job.state == "ready") return out + " · waiting for a worker";
  if (job.state == "finished") return out + " · finished";
  if (job.state == "paused") return out + " · paused";
  if (!job.waits_for.empty())
    return out + " · waiting for `ba-agent job resolve` of " + job.waits_for;
  if (job.attempt > 1) out += " · attempt " + std::to_string(job.attempt);
  const std::size_t nth = current_round(timeline, messages);
  out += " · round " + std::to_string(nth - 1);  // as `show` and `job fork` count: from 0
  if (messages > 1) out += " (" + std::to_string(nth) + " of " + std::to_string(messages) + ")";
  if (job.steps > 0) out += " · " + counted(job.steps, "step");
  out += " · " + activity(timeline);
  if (job.usage.total() > 0) out += " · " + thousands(job.usage.total()) + " tokens";
  return out;
}

std::string queued_text(const std::string& job_id) { return job_id + " · on the jobs topic"; }

}  // namespace ba::cli
