// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_errors.hpp"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace ba {
namespace {

constexpr bool kMaybe = true;
constexpr bool kNot = false;

struct Row {
  const char* what;
  KafkaFailure failure;
  KafkaVerdict verdict;
};

KafkaFailure failed(int code, bool fatal = false, bool retriable = false, bool abort = false) {
  return {code, fatal, retriable, abort, "the library's words"};
}

class KafkaErrors : public testing::TestWithParam<Row> {};

TEST_P(KafkaErrors, AreJudgedByTheTable) {
  const KafkaVerdict verdict = judge(GetParam().failure);
  const KafkaVerdict& wanted = GetParam().verdict;
  EXPECT_EQ(to_string(verdict.code), to_string(wanted.code));
  EXPECT_EQ(verdict.retry, wanted.retry);
  EXPECT_EQ(verdict.step, wanted.step);
  EXPECT_EQ(verdict.maybe_done, wanted.maybe_done);
}

using enum ErrorCode;
using enum KafkaStep;
constexpr Retry kLater = Retry::Later;
constexpr Retry kNever = Retry::Never;

INSTANTIATE_TEST_SUITE_P(
    Table, KafkaErrors,
    testing::Values(Row{"commit_timed_out",
                        failed(RD_KAFKA_RESP_ERR__TIMED_OUT, false, true),
                        {Timeout, kLater, RepeatCall, kMaybe}},
                    Row{"coordinator_moved",
                        failed(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, false, true),
                        {Unavailable, kLater, RepeatCall, kNot}},
                    Row{"abortable",
                        failed(RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, false, false, true),
                        {Timeout, kLater, ReplaceClient, kMaybe}},
                    Row{"fenced",
                        failed(RD_KAFKA_RESP_ERR__FENCED, true),
                        {Fenced, kLater, ReplaceClient, kMaybe}},
                    Row{"producer_fenced",
                        failed(RD_KAFKA_RESP_ERR_PRODUCER_FENCED),
                        {Fenced, kLater, ReplaceClient, kMaybe}},
                    Row{"old_epoch",
                        failed(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH),
                        {Fenced, kLater, ReplaceClient, kMaybe}},
                    Row{"old_epoch_even_if_retriable",
                        failed(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, false, true),
                        {Fenced, kLater, ReplaceClient, kMaybe}},
                    Row{"fatal_wins_over_retriable",
                        failed(RD_KAFKA_RESP_ERR__TIMED_OUT, true, true),
                        {Timeout, kLater, ReplaceClient, kMaybe}},
                    Row{"fatal_of_any_code",
                        failed(RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, true),
                        {Protocol, kLater, ReplaceClient, kMaybe}},
                    Row{"none_of_the_flags_unknown_code",
                        failed(RD_KAFKA_RESP_ERR_UNKNOWN),
                        {Protocol, kLater, Report, kMaybe}},
                    Row{"invalid_txn_state",
                        failed(RD_KAFKA_RESP_ERR_INVALID_TXN_STATE),
                        {Protocol, kLater, ReplaceClient, kMaybe}},
                    Row{"wrong_state",
                        failed(RD_KAFKA_RESP_ERR__STATE),
                        {Internal, kLater, ReplaceClient, kMaybe}},
                    Row{"purged_in_queue",
                        failed(RD_KAFKA_RESP_ERR__PURGE_QUEUE),
                        {Cancelled, kLater, ReplaceClient, kNot}},
                    Row{"purged_in_flight",
                        failed(RD_KAFKA_RESP_ERR__PURGE_INFLIGHT),
                        {Cancelled, kLater, ReplaceClient, kMaybe}},
                    Row{"illegal_generation",
                        failed(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION),
                        {Conflict, kLater, DropPartitions, kNot}},
                    Row{"unknown_member",
                        failed(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID),
                        {Conflict, kLater, DropPartitions, kNot}},
                    Row{"fenced_instance",
                        failed(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID),
                        {Conflict, kLater, DropPartitions, kNot}},
                    Row{"max_poll_exceeded",
                        failed(RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED),
                        {Conflict, kLater, DropPartitions, kNot}},
                    Row{"assignment_lost",
                        failed(RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST),
                        {Conflict, kLater, DropPartitions, kNot}},
                    Row{"unstable_offset_commit",
                        failed(RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT),
                        {Unavailable, kLater, RepeatCall, kNot}},
                    Row{"brokers_down",
                        failed(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN),
                        {Unavailable, kLater, Report, kNot}},
                    Row{"connection_lost",
                        failed(RD_KAFKA_RESP_ERR__TRANSPORT),
                        {Unavailable, kLater, Report, kMaybe}},
                    Row{"no_leader_yet",
                        failed(RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION),
                        {Unavailable, kLater, Report, kNot}},
                    Row{"too_few_replicas_after_append",
                        failed(RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND),
                        {Unavailable, kLater, Report, kMaybe}},
                    Row{"wrong_password",
                        failed(RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED),
                        {Authentication, kLater, Report, kNot}},
                    Row{"not_allowed",
                        failed(RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
                        {PermissionDenied, kLater, Report, kNot}},
                    Row{"no_such_topic",
                        failed(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART),
                        {NotFound, kLater, Report, kNot}},
                    Row{"too_long",
                        failed(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE),
                        {LimitExceeded, kNever, Report, kNot}},
                    Row{"out_of_range",
                        failed(RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET),
                        {Conflict, kNever, Report, kNot}},
                    Row{"topic_exists",
                        failed(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS),
                        {Conflict, kNever, Report, kNot}},
                    Row{"bad_replication",
                        failed(RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR),
                        {InvalidArgument, kNever, Report, kNot}}),
    [](const auto& info) { return info.param.what; });

TEST(KafkaErrors, TheMessageSaysWhatWasDoneAndTheDetailTheCode) {
  const Error error = to_error(failed(RD_KAFKA_RESP_ERR__FENCED, true), "committing batch 7");
  EXPECT_EQ(error.message, "kafka: committing batch 7: the library's words");
  EXPECT_EQ(error.detail, "_FENCED");
}

}  // namespace
}  // namespace ba
