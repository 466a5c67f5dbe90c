// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "pipeline/contract/encode_job.hpp"
#include "worker/cli/commands.hpp"
#include "worker/cli/job_documents.hpp"
#include "worker/cli/job_watch.hpp"
#include "worker/cli/needs.hpp"
#include "worker/cli/result_view.hpp"
#include "worker/config/contract_limits.hpp"
#include "worker/config/small_file.hpp"
#include "worker/kafka/job_producer.hpp"

namespace ba {
namespace {

constexpr std::size_t kInputBytesMax = 256 << 20;  // what one submit takes in

std::string new_job_id() {
  std::random_device device;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "job-%08x%08x", device(), device());
  return text.data();
}

Result<std::string> standard_input() {
  std::string text;
  std::array<char, 65536> piece{};
  while (std::cin.read(piece.data(), piece.size()) || std::cin.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kInputBytesMax) return invalid_argument("the input is larger than 256 MiB");
  }
  return text;
}

/// A lone "-" as the question is standard input: jobs if it begins like JSON, else the question.
Result<std::string> read_input(SubmitArguments& arguments) {
  if (arguments.questions == std::vector<std::string>{"-"}) {
    auto text = standard_input();
    if (!text) return text;
    const std::size_t first = text->find_first_not_of(" \t\r\n");
    const bool json =
        first != std::string::npos && ((*text)[first] == '{' || (*text)[first] == '[');
    arguments.questions.clear();
    if (json)
      arguments.file = "-";
    else
      arguments.questions.push_back(*text);
    return text;
  }
  if (arguments.file.empty()) return std::string();
  return arguments.file == "-" ? standard_input() : read_file(arguments.file, kInputBytesMax);
}

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

void show_sent(const Job& job, const RecordSource& place, const SubmitArguments& arguments,
               Terminal& terminal) {
  if (arguments.wait) return;
  if (!arguments.json) {
    terminal.out() << job.job_id.value << "\n";
    if (!arguments.quiet)
      terminal.message("submitted " + job.tenant.value + "/" + job.job_id.value + " as " +
                       place_text(place));
    return;
  }
  terminal.out() << nlohmann::ordered_json{{"tenant", job.tenant.value},
                                           {"job_id", job.job_id.value},
                                           {"conversation_id", job.conversation_id.value},
                                           {"topic", place.topic},
                                           {"partition", place.partition},
                                           {"offset", place.offset}}
                        .dump()
                 << "\n";
}

/// A topic that is missing is a matter of the configuration, as it is to a worker that starts.
Error of_topic(Error error) {
  if (error.code == ErrorCode::NotFound) error.detail = kConfigurationDetail;
  return error;
}

/// Puts the jobs on their topics; the error of the first one that failed.
Result<std::vector<SentJob>> send(const std::vector<Job>& jobs, const KafkaOptions& kafka,
                                  const SubmitArguments& arguments, Terminal& terminal) {
  auto producer = JobProducer::create(kafka);
  if (!producer) return producer.error();
  std::vector<OutgoingRecord> records;
  records.reserve(jobs.size());
  for (const Job& job : jobs) records.push_back(record_of(job, kafka.topics));
  const auto places = (*producer)->send_all(std::move(records));
  std::vector<SentJob> sent;
  for (std::size_t index = 0; index < places.size(); ++index) {
    if (!places[index]) return of_topic(places[index].error());
    show_sent(jobs[index], *places[index], arguments, terminal);
    sent.push_back({jobs[index], *places[index]});
  }
  return sent;
}

const Job* job_of(const std::vector<SentJob>& jobs, const JobResult& result) {
  for (const auto& [job, place] : jobs)
    if (job.job_id == result.job_id && job.tenant == result.tenant) return &job;
  return nullptr;
}

int follow(JobWatch& watch, const std::vector<SentJob>& jobs, const SubmitArguments& arguments,
           Terminal& terminal) {
  const Interrupt interrupt;
  bool all_completed = true;
  const WatchOptions options{arguments.timeout, !arguments.quiet && !arguments.json};
  JobEnds ends;
  ends.finished = [&](const JobResult& result) {
    all_completed = all_completed && result.outcome == Outcome::Completed;
    const Job* job = job_of(jobs, result);
    if (arguments.json)
      terminal.out() << result_as_json(result) << std::endl;
    else
      show_result(result, job != nullptr ? job->messages : std::vector<std::string>{}, terminal);
  };
  ends.refused = [&](const Job& job, const std::string& why) {
    all_completed = false;
    terminal.failure(printable(job.job_id.value + " was refused: " + why));
  };
  ends.known = [&](EarlierJob earlier, const std::string& text) {
    const bool other = earlier == EarlierJob::OtherContent;
    all_completed = all_completed && !other;
    if (other)
      terminal.failure(printable(text));
    else if (!arguments.quiet)
      terminal.message(printable(text));
  };
  auto waited = watch.wait(jobs, options, interrupt, terminal, ends);
  terminal.live("");
  if (!waited && waited.error().code == ErrorCode::Cancelled) {
    terminal.failure(waited.error().message);
    return kExitInterrupted;
  }
  if (!waited) return terminal.fail(waited.error());
  return all_completed ? kExitOk : kExitJobNotDone;
}

}  // namespace

int submit_command(const SubmitArguments& given, const Session& session) {
  Terminal& terminal = session.terminal;
  SubmitArguments arguments = given;
  auto text = read_input(arguments);
  if (!text) return terminal.fail(text.error());
  auto jobs = jobs_of(arguments, *text, contract_limits_of(session.config()), new_job_id);
  if (!jobs) return terminal.fail(jobs.error());
  auto kafka = kafka_of(session.config());
  if (!kafka) return terminal.fail(kafka.error());
  std::unique_ptr<JobWatch> watch;
  if (arguments.wait) {
    auto made = make_job_watch(session.config());
    if (!made) return terminal.fail(made.error());
    watch = std::move(*made);
  }
  auto sent = send(*jobs, *kafka, arguments, terminal);
  if (!sent) return terminal.fail(sent.error());
  return watch ? follow(*watch, *sent, arguments, terminal) : static_cast<int>(kExitOk);
}

}  // namespace ba
