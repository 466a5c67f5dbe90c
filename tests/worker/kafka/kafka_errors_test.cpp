// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_errors.hpp"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <map>
#include <memory>
#include <string>

namespace ba::kafka {
namespace {

using enum ErrorCode;
using enum KafkaStep;

constexpr bool kMaybe = true;
constexpr bool kNot = false;
constexpr Retry kLater = Retry::Later;
constexpr Retry kNever = Retry::Never;

KafkaFailure failed(int code, bool fatal = false, bool retriable = false, bool abort = false) {
  return {code, fatal, retriable, abort, "the library's words"};
}

/// What each code of librdkafka means without any flag.
std::map<int, KafkaVerdict> meanings() {
  std::map<int, KafkaVerdict> all;
  const auto add = [&all](const KafkaVerdict& verdict, std::initializer_list<int> codes) {
    for (const int code : codes) EXPECT_TRUE(all.emplace(code, verdict).second) << code;
  };
  add({Fenced, kLater, ReplaceClient, kMaybe},
      {RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED,
       RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH});
  add({Protocol, kLater, ReplaceClient, kMaybe},
      {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, RD_KAFKA_RESP_ERR__FATAL,
       RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING,
       RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  add({Internal, kLater, ReplaceClient, kMaybe}, {RD_KAFKA_RESP_ERR__STATE});
  add({Cancelled, kLater, ReplaceClient, kNot}, {RD_KAFKA_RESP_ERR__PURGE_QUEUE});
  add({Cancelled, kLater, ReplaceClient, kMaybe}, {RD_KAFKA_RESP_ERR__PURGE_INFLIGHT});
  add({Conflict, kLater, DropPartitions, kNot},
      {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID,
       RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED,
       RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST});
  add({Timeout, kLater, Report, kMaybe},
      {RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
       RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT});
  add({Timeout, kLater, Report, kNot}, {RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE});
  add({Unavailable, kLater, Report, kMaybe},
      {RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
       RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND});
  add({Unavailable, kLater, Report, kNot},
      {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE,
       RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
       RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_COORDINATOR,
       RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
       RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS,
       RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR_REBOOTSTRAP_REQUIRED,
       RD_KAFKA_RESP_ERR_INCONSISTENT_TOPIC_ID});
  add({Unavailable, kLater, ReplaceClient, kNot}, {RD_KAFKA_RESP_ERR_TRANSACTION_ABORTABLE});
  add({Unavailable, kLater, RepeatCall, kNot}, {RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT});
  add({Overloaded, kLater, Report, kNot}, {RD_KAFKA_RESP_ERR__QUEUE_FULL});
  add({Authentication, kLater, Report, kNot},
      {RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
       RD_KAFKA_RESP_ERR__SSL});
  add({PermissionDenied, kLater, Report, kNot},
      {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
       RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
       RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED});
  add({NotFound, kLater, Report, kNot},
      {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
       RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION});
  add({Conflict, kNever, Report, kNot},
      {RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET,
       RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE});
  add({LimitExceeded, kNever, Report, kNot},
      {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
       RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE});
  add({InvalidArgument, kNever, Report, kNot},
      {RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD,
       RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, RD_KAFKA_RESP_ERR_INVALID_CONFIG,
       RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR,
       RD_KAFKA_RESP_ERR_POLICY_VIOLATION, RD_KAFKA_RESP_ERR__INVALID_ARG});
  add({Cancelled, kLater, Report, kNot}, {RD_KAFKA_RESP_ERR__DESTROY});
  return all;
}

void expect_verdict(const KafkaFailure& failure, const KafkaVerdict& wanted) {
  SCOPED_TRACE(rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(failure.code)));
  const KafkaVerdict verdict = judge(failure);
  EXPECT_EQ(to_string(verdict.code), to_string(wanted.code));
  EXPECT_EQ(verdict.retry, wanted.retry);
  EXPECT_EQ(verdict.step, wanted.step);
  EXPECT_EQ(verdict.maybe_done, wanted.maybe_done);
}

TEST(KafkaErrors, EveryCodeOfTheLibraryIsJudgedByTheTable) {
  const KafkaVerdict unknown{Protocol, kLater, Report, kMaybe};
  const std::map<int, KafkaVerdict> wanted = meanings();
  const rd_kafka_err_desc* codes = nullptr;
  std::size_t count = 0;
  rd_kafka_get_err_descs(&codes, &count);
  std::size_t met = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!codes[i].name || codes[i].code == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    const auto row = wanted.find(codes[i].code);
    met += row != wanted.end();
    expect_verdict(failed(codes[i].code), row == wanted.end() ? unknown : row->second);
  }
  EXPECT_EQ(met, wanted.size());
}

TEST(KafkaErrors, ARetriableFailureIsRepeatedUnlessTheClientIsToBeReplaced) {
  expect_verdict(failed(RD_KAFKA_RESP_ERR__TIMED_OUT, false, true),
                 {Timeout, kLater, RepeatCall, kMaybe});
  expect_verdict(failed(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, false, true),
                 {Unavailable, kLater, RepeatCall, kNot});
  expect_verdict(failed(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, false, true),
                 {Fenced, kLater, ReplaceClient, kMaybe});
}

TEST(KafkaErrors, AnAbortableOrFatalFailureReplacesTheClient) {
  expect_verdict(failed(RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, false, false, true),
                 {Timeout, kLater, ReplaceClient, kMaybe});
  expect_verdict(failed(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, false, false, true),
                 {Unavailable, kLater, ReplaceClient, kNot});
  expect_verdict(failed(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, true),
                 {Unavailable, kLater, ReplaceClient, kMaybe});
  expect_verdict(failed(RD_KAFKA_RESP_ERR__TIMED_OUT, true, true),
                 {Timeout, kLater, ReplaceClient, kMaybe});
}

TEST(KafkaErrors, TheMessageSaysWhatWasDoneAndTheDetailTheCode) {
  const Error error = to_error(failed(RD_KAFKA_RESP_ERR__FENCED, true), "committing batch 7");
  EXPECT_EQ(error.message, "kafka: committing batch 7: the library's words");
  EXPECT_EQ(error.detail, "_FENCED");
}

/// What cmake/BaLibrdkafka.cmake asks of the headers, of the library that was linked.
TEST(KafkaLibrary, IsOneThatLogsInWithScramAndFindsItsCoordinatorAgain) {
  EXPECT_GE(rd_kafka_version(), 0x020a01ff) << rd_kafka_version_str();
  EXPECT_EQ(rd_kafka_version(), RD_KAFKA_VERSION) << rd_kafka_version_str();
}

TEST(KafkaLibrary, KnowsTheCompressionsAndLoginsOfTheConfiguration) {
  const std::unique_ptr<rd_kafka_conf_t, decltype(&rd_kafka_conf_destroy)> conf(
      rd_kafka_conf_new(), rd_kafka_conf_destroy);
  std::array<char, 512> features{};
  std::size_t size = features.size();
  ASSERT_EQ(rd_kafka_conf_get(conf.get(), "builtin.features", features.data(), &size),
            RD_KAFKA_CONF_OK);
  const std::string all = "," + std::string(features.data()) + ",";
  for (const char* wanted :
       {"gzip", "snappy", "lz4", "zstd", "ssl", "sasl_plain", "sasl_scram", "sasl_oauthbearer"})
    EXPECT_NE(all.find("," + std::string(wanted) + ","), std::string::npos) << all;
}

}  // namespace
}  // namespace ba::kafka
