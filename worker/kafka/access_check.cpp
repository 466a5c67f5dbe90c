// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/access_check.hpp"

#include "worker/kafka/admin_requests.hpp"

namespace ba {
namespace {

constexpr int kInitSliceMs = 500;

AccessLack lack_of(const NeededRight& right, const KafkaOptions& options) {
  return {lack_text(right, options), "give it with " + grant_text(right, options)};
}

Result<void> init_transactions(rd_kafka_t& client, const std::string& id, Milliseconds patience) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (true) {
    const ErrorHandle error(rd_kafka_init_transactions(&client, kInitSliceMs));
    if (!error) return {};
    const KafkaFailure failure = failure_of(*error);
    if (judge(failure).step != KafkaStep::RepeatCall || std::chrono::steady_clock::now() > give_up)
      return to_error(failure, "initialising " + id);
  }
}

/// Those on topics, as they were found, and that on the group.
Result<std::vector<std::string>> lacks_beside(const std::vector<TopicFinding>& findings,
                                              const KafkaOptions& options) {
  std::vector<std::string> lacks;
  for (const TopicFinding& finding : findings)
    if (!finding.remedy.empty()) lacks.push_back(finding.message + ": " + finding.remedy);
  const auto group = check_group_access(options);
  if (!group) return group.error();
  if (*group) lacks.push_back((*group)->message + ": " + (*group)->remedy);
  return lacks;
}

}  // namespace

Result<std::optional<AccessLack>> check_group_access(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  ClientHooks hooks(options.log);
  auto conf = make_conf(options, hooks, {});
  if (!conf) return conf.error();
  const auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return client.error();
  const auto allowed = may_read_group(**client, options.group_id, options.request_timeout);
  if (!allowed) return allowed.error();
  if (*allowed) return std::optional<AccessLack>();
  return std::optional(lack_of(group_right(options), options));
}

Result<std::optional<AccessLack>> check_transaction_access(const KafkaOptions& options) {
  if (auto checked = validate(options); !checked) return checked.error();
  ClientHooks hooks(options.log);
  const std::string id = options.outbox.transactional_id_prefix + "-check";
  auto conf = make_conf(options, hooks, {{"transactional.id", id}, {"retry.backoff.ms", "5"}});
  if (!conf) return conf.error();
  const auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return client.error();
  const auto begun = init_transactions(**client, id, options.request_timeout);
  if (begun) return std::optional<AccessLack>();
  if (begun.error().code != ErrorCode::PermissionDenied) return begun.error();
  return std::optional(lack_of(transactions_right(options), options));
}

Result<std::vector<std::string>> worker_lacks(const KafkaOptions& options) {
  const auto findings = verify_topics(options, TopicUse::Worker);
  if (!findings) return findings.error();
  return lacks_beside(*findings, options);
}

Result<std::vector<TopicFinding>> verify_for_worker(const KafkaOptions& options) {
  auto findings = verify_topics(options, TopicUse::Worker);
  if (!findings) return findings;
  const auto lacks = lacks_beside(*findings, options);
  if (!lacks) return lacks.error();
  if (lacks->empty()) return findings;
  Error error;
  error.code = ErrorCode::PermissionDenied;
  error.retry = Retry::Later;
  for (const std::string& lack : *lacks)
    error.message += (error.message.empty() ? "" : "; ") + lack;
  return error;
}

}  // namespace ba
