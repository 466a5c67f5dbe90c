// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/job_copy.hpp"

#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/contract/encode_job.hpp"

namespace ba::cli {
namespace {

Result<Job> checked(const std::string& bytes, const Headers& headers,
                    const JobContractLimits& limits) {
  DecodedRecord decoded = decode_job({std::nullopt, bytes, headers, {}}, limits);
  if (auto* job = std::get_if<Job>(&decoded)) return std::move(*job);
  const auto& reason = std::get<DeadLetterReason>(decoded);
  return invalid_argument((reason.field.empty() ? "" : reason.field + ": ") + reason.message +
                          " (" + reason.reason.text() + ")");
}

Result<Job> wanted_job(const storage::CopySource& source, const CopyWish& wish) {
  if (wish.edited) return checked(*wish.edited, {}, wish.limits);
  auto job = decode_job_payload(source.payload);
  if (!job)
    return invalid_argument("the stored job can't be read: " + job.error().message +
                            "; give the job with --edit FILE");
  return job;
}

Result<void> edit_message(Job& job, const CopyWish& wish) {
  const auto round = static_cast<std::size_t>(wish.from_round.value_or(0));
  const std::size_t messages = job.messages.size();
  if (wish.message && round < messages) {
    job.messages[round] = *wish.message;
  } else if (wish.message && round == messages) {
    job.messages.push_back(*wish.message);
  } else if (round >= messages) {
    return invalid_argument("the job has " + std::to_string(messages) + " messages: from round " +
                            std::to_string(round) +
                            " on nothing is left to run; give a message with --message");
  }
  return {};
}

}  // namespace

Result<storage::JobCopy> plan_copy(const storage::PgAccess& access, const CopyWish& wish) {
  const auto source = storage::find_copy_source(access, wish.source);
  if (!source) return source.error();
  auto job = wanted_job(*source, wish);
  if (!job) return job.error();
  if (auto edited = edit_message(*job, wish); !edited) return edited.error();
  job->tenant = wish.source.tenant;
  // What goes on as it was means the day on which it was asked.
  const bool goes_on = !wish.from_round && !wish.edited && !wish.message;
  if (!goes_on) job->created_at = wish.now;
  job->job_id = JobId(!wish.new_id.empty() ? wish.new_id
                                           : wish.source.job.value + "." + wish.suffix + "-" +
                                                 std::to_string(source->copies + 1));
  job->conversation_id = ConversationId("job:" + job->job_id.value);
  auto valid = checked(encode_job(*job), {{"content-type", "application/protobuf"}}, wish.limits);
  if (!valid) return valid.error();
  storage::JobCopy copy;
  copy.source = wish.source;
  copy.job.payload = encode_job(*job);
  copy.job.job = std::move(*job);
  copy.job.job.created_at = wish.now;  // it waits from now on, whatever day it tells its model
  copy.job.source = source->source;
  copy.from_round = wish.from_round;
  if (wish.edited && !copy.from_round) copy.from_round = 0;
  copy.edited = wish.edited.has_value() || wish.message.has_value();
  copy.by = wish.by;
  return copy;
}

}  // namespace ba::cli
