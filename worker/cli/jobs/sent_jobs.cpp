// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/sent_jobs.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/text/contract/encode_job.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/kafka/job_producer.hpp"

namespace ba {
namespace {

OutgoingRecord record_of(const Job& job, const KafkaTopics& topics) {
  OutgoingRecord record;
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

}  // namespace

Sending send_jobs(const std::vector<Job>& jobs, const KafkaOptions& kafka) {
  Sending sending;
  auto producer = JobProducer::create(kafka);
  if (!producer) {
    sending.failure = producer.error();
    return sending;
  }
  std::vector<OutgoingRecord> records;
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

}  // namespace ba
