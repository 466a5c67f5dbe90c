// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_errors.hpp"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <iterator>

namespace ba::kafka {
namespace {

struct Row {
  int code;
  KafkaVerdict verdict;
};

constexpr KafkaVerdict gone(ErrorCode code, bool maybe_done) {
  return {code, Retry::Later, KafkaStep::ReplaceClient, maybe_done};
}
constexpr KafkaVerdict dropped() {
  return {ErrorCode::Conflict, Retry::Later, KafkaStep::DropPartitions, false};
}
constexpr KafkaVerdict later(ErrorCode code, bool maybe_done = false) {
  return {code, Retry::Later, KafkaStep::Report, maybe_done};
}
constexpr KafkaVerdict never(ErrorCode code) {
  return {code, Retry::Never, KafkaStep::Report, false};
}

constexpr Row kRows[] = {
    // A newer producer has the transactional id; what became of our last request isn't known.
    {RD_KAFKA_RESP_ERR__FENCED, gone(ErrorCode::Fenced, true)},
    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, gone(ErrorCode::Fenced, true)},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, gone(ErrorCode::Fenced, true)},
    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, gone(ErrorCode::Protocol, true)},
    {RD_KAFKA_RESP_ERR__STATE, gone(ErrorCode::Internal, true)},
    {RD_KAFKA_RESP_ERR__FATAL, gone(ErrorCode::Protocol, true)},
    // The broker knows nothing of this producer, or something else than it does.
    {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, gone(ErrorCode::Protocol, true)},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, gone(ErrorCode::Protocol, true)},
    {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, gone(ErrorCode::Protocol, true)},
    // Delivery reports of messages that were thrown away: not delivered.
    {RD_KAFKA_RESP_ERR__PURGE_QUEUE, gone(ErrorCode::Cancelled, false)},
    {RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, gone(ErrorCode::Cancelled, true)},
    // The group went on without us.
    {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, dropped()},
    {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, dropped()},
    {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, dropped()},
    {RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, dropped()},
    {RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, dropped()},
    {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, later(ErrorCode::Unavailable)},
    // The broker is away or busy.
    {RD_KAFKA_RESP_ERR__TIMED_OUT, later(ErrorCode::Timeout, true)},
    {RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, later(ErrorCode::Timeout, true)},
    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, later(ErrorCode::Timeout, true)},
    {RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, later(ErrorCode::Timeout)},
    {RD_KAFKA_RESP_ERR__TRANSPORT, later(ErrorCode::Unavailable, true)},
    {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR__RESOLVE, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR__WAIT_COORD, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, later(ErrorCode::Unavailable, true)},
    {RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION, later(ErrorCode::Unavailable, true)},
    {RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, later(ErrorCode::Unavailable, true)},
    {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_REBOOTSTRAP_REQUIRED, later(ErrorCode::Unavailable)},
    {RD_KAFKA_RESP_ERR_INCONSISTENT_TOPIC_ID, later(ErrorCode::Unavailable)},
    // KIP-890: the transaction can't be committed any more, and was not.
    {RD_KAFKA_RESP_ERR_TRANSACTION_ABORTABLE, gone(ErrorCode::Unavailable, false)},
    {RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT,
     {ErrorCode::Unavailable, Retry::Later, KafkaStep::RepeatCall, false}},
    {RD_KAFKA_RESP_ERR__QUEUE_FULL, later(ErrorCode::Overloaded)},
    // What a person has to put right.
    {RD_KAFKA_RESP_ERR__AUTHENTICATION, later(ErrorCode::Authentication)},
    {RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, later(ErrorCode::Authentication)},
    {RD_KAFKA_RESP_ERR__SSL, later(ErrorCode::Authentication)},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, later(ErrorCode::PermissionDenied)},
    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, later(ErrorCode::PermissionDenied)},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, later(ErrorCode::PermissionDenied)},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, later(ErrorCode::PermissionDenied)},
    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, later(ErrorCode::NotFound)},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, later(ErrorCode::NotFound)},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID, later(ErrorCode::NotFound)},
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, later(ErrorCode::NotFound)},
    {RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, never(ErrorCode::Conflict)},
    {RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, never(ErrorCode::Conflict)},
    {RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, never(ErrorCode::Conflict)},
    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, never(ErrorCode::LimitExceeded)},
    {RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, never(ErrorCode::LimitExceeded)},
    {RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE, never(ErrorCode::LimitExceeded)},
    {RD_KAFKA_RESP_ERR_INVALID_RECORD, never(ErrorCode::InvalidArgument)},
    // Came in one batch with an invalid record.
    {RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR_INVALID_CONFIG, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR_POLICY_VIOLATION, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR__INVALID_ARG, never(ErrorCode::InvalidArgument)},
    {RD_KAFKA_RESP_ERR__DESTROY, later(ErrorCode::Cancelled)},
};

}  // namespace

KafkaVerdict judge(const KafkaFailure& failure) {
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& each) { return each.code == failure.code; });
  KafkaVerdict verdict = row == std::end(kRows) ? later(ErrorCode::Protocol, true) : row->verdict;
  // The flags say more about what to do than the code does. Fatal wins: repeating would hang.
  if (failure.fatal || failure.requires_abort) {
    verdict.step = KafkaStep::ReplaceClient;
    verdict.maybe_done = verdict.maybe_done || failure.fatal;
  } else if (failure.retriable && verdict.step != KafkaStep::ReplaceClient) {
    verdict.step = KafkaStep::RepeatCall;
  }
  return verdict;
}

Error to_error(const KafkaFailure& failure, std::string_view what) {
  const KafkaVerdict verdict = judge(failure);
  const char* name = rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(failure.code));
  Error error = make_error(verdict.code,
                           "kafka: " + std::string(what) + ": " +
                               (failure.text.empty() ? std::string(name) : failure.text),
                           verdict.retry);
  error.detail = name;
  error.maybe_done = verdict.maybe_done;
  return error;
}

}  // namespace ba::kafka
