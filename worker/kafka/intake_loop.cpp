// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/intake_loop.hpp"

#include <algorithm>

namespace ba {
namespace {

constexpr Milliseconds kPollMax{100};
constexpr Milliseconds kAskAgain{500};
constexpr Milliseconds kLookForBrokers{2'000};
constexpr Milliseconds kRefreshState{250};
constexpr Milliseconds kTroubleQuiet{30'000};
constexpr Milliseconds kLeaveMax{3'000};
constexpr int kBrokersAnswerMs = 500;

Settings consumer_settings(const KafkaOptions& options) {
  const KafkaIntakeOptions& intake = options.intake;
  return {{"group.id", options.group_id},
          // Not cooperative: librdkafka before 2.10 loses assignments and hangs on close with it.
          {"partition.assignment.strategy", "range"},
          {"isolation.level", "read_committed"},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"enable.partition.eof", "false"},
          {"auto.offset.reset", "error"},
          {"max.poll.interval.ms", std::to_string(intake.poll_interval_max.count())},
          {"session.timeout.ms", std::to_string(intake.session_timeout.count())},
          {"queued.min.messages", std::to_string(intake.fetch_records_min)},
          {"queued.max.messages.kbytes", std::to_string(intake.fetch_kilobytes_max)},
          {"fetch.message.max.bytes", std::to_string(intake.record_bytes_max)}};
}

std::int64_t until(std::chrono::steady_clock::time_point when) {
  const auto left = when - std::chrono::steady_clock::now();
  return std::max<std::int64_t>(0, std::chrono::ceil<Milliseconds>(left).count());
}

rd_kafka_topic_partition_t& add_to(const PartitionList& list,
                                   const std::pair<std::string, int>& key) {
  return *rd_kafka_topic_partition_list_add(list.get(), key.first.c_str(), key.second);
}

PartitionList make_list() { return PartitionList(rd_kafka_topic_partition_list_new(8)); }

}  // namespace

IntakeLoop::IntakeLoop(const KafkaOptions& options, IntakeLoopEvents events)
    : ClientHooks(options.log), options_(options), events_(std::move(events)) {}

Result<void> IntakeLoop::subscribe() {
  auto conf = make_conf(options_, *this, consumer_settings(options_));
  if (!conf) return conf.error();
  auto client = make_client(RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return client.error();
  client_ = std::move(*client);
  rd_kafka_poll_set_consumer(client_.get());
  queue_.reset(rd_kafka_queue_get_consumer(client_.get()));
  const PartitionList topics = make_list();
  for (const std::string& topic : options_.topics.jobs)
    add_to(topics, {topic, RD_KAFKA_PARTITION_UA});
  const auto code = rd_kafka_subscribe(client_.get(), topics.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return to_error(failure_of(code), "subscribing to the job topics");
  return {};
}

void IntakeLoop::run() {
  name_this_thread("kafka-intake");
  while (!closing_) {
    run_commands();
    poll_once();
    hand_over_if_due();
    commit_if_due(false);
    if (is_awaiting_ && SteadyClock::now() >= ask_again_at_) ask_for_offsets();
    look_for_brokers();
    refresh_state_if_due();
  }
  leave();
  events_.closed();
}

// ---- commands ----------------------------------------------------------------------------------

void IntakeLoop::add(std::function<void()> command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
  }
  rd_kafka_queue_yield(queue_.get());
}

void IntakeLoop::run_commands() {
  std::deque<std::function<void()>> commands;
  {
    const std::lock_guard lock(mutex_);
    commands.swap(commands_);
  }
  for (const auto& command : commands) command();
}

void IntakeLoop::start_at(std::int64_t assignment, Result<std::vector<PartitionOffset>> offsets) {
  add([this, assignment, offsets = std::move(offsets)] {
    if (assignment != assignment_ || !is_awaiting_) return;  // of an assignment that is gone
    if (offsets) return assign(*offsets);
    ask_again_at_ = SteadyClock::now() + kAskAgain;
  });
}

void IntakeLoop::acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) {
  add([this, records, next_offsets = std::move(next_offsets)] {
    outstanding_ -= static_cast<std::int64_t>(records);
    for (const PartitionOffset& offset : next_offsets) {
      const PartitionKey key{offset.topic, offset.partition};
      const auto found = partitions_.find(key);
      if (found == partitions_.end() || found->second.next >= offset.next_offset) continue;
      found->second.next = offset.next_offset;
      to_commit_[key] = offset.next_offset;
    }
    update_pauses();
  });
}

void IntakeLoop::set_paused(std::set<std::string> topics) {
  add([this, topics = std::move(topics)] {
    paused_topics_ = topics;
    update_pauses();
  });
}

void IntakeLoop::close() {
  add([this] { closing_ = true; });
}

// ---- records -----------------------------------------------------------------------------------

std::int64_t IntakeLoop::poll_timeout_ms() const {
  if (batch_.empty()) return kPollMax.count();
  return std::min(kPollMax.count(), until(batch_began_ + options_.intake.batch_linger));
}

void IntakeLoop::poll_once() {
  const MessageHandle message(
      rd_kafka_consumer_poll(client_.get(), static_cast<int>(poll_timeout_ms())));
  if (!message) return;
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return take(*message);
  if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) return out_of_range(*message);
  tell_trouble(to_error(failure_of(message->err, rd_kafka_message_errstr(message.get())),
                        "reading the job topics"));
}

void IntakeLoop::take(const rd_kafka_message_t& message) {
  connected_ = true;
  if (batch_.empty()) batch_began_ = SteadyClock::now();
  batch_.push_back(to_raw_record(message));
  const RecordSource& source = batch_.back().source;
  if (const auto found = partitions_.find({source.topic, source.partition});
      found != partitions_.end())
    found->second.position = source.offset + 1;
  batch_bytes_ += message.len + message.key_len;
}

void IntakeLoop::hand_over_if_due() {
  if (batch_.empty()) return;
  const KafkaIntakeOptions& limits = options_.intake;
  const bool full = static_cast<int>(batch_.size()) >= limits.batch_records_max ||
                    batch_bytes_ >= static_cast<std::size_t>(limits.batch_bytes_max);
  if (full || SteadyClock::now() >= batch_began_ + limits.batch_linger) hand_over();
}

void IntakeLoop::hand_over() {
  const auto count = static_cast<std::int64_t>(batch_.size());
  outstanding_ += count;
  records_ += count;
  batch_bytes_ = 0;
  events_.records(std::exchange(batch_, {}));
  update_pauses();
}

/// Pauses and resumes exactly what changed: resuming a partition that isn't paused would rewind it.
void IntakeLoop::update_pauses() {
  const std::int64_t most = options_.intake.outstanding_records_max;
  held_ = held_ ? outstanding_ > most / 2 : outstanding_ >= most;
  const PartitionList pause = make_list();
  const PartitionList resume = make_list();
  for (auto& [key, partition] : partitions_) {
    const bool wanted = held_ || paused_topics_.contains(key.first);
    if (wanted == partition.paused) continue;
    partition.paused = wanted;
    add_to(wanted ? pause : resume, key);
  }
  if (pause->cnt > 0) rd_kafka_pause_partitions(client_.get(), pause.get());
  if (resume->cnt > 0) rd_kafka_resume_partitions(client_.get(), resume.get());
}

// ---- the group ---------------------------------------------------------------------------------

void IntakeLoop::on_rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list) {
  ++rebalances_;
  if (code != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) return revoke();
  connected_ = true;
  awaiting_.clear();
  for (int i = 0; i < list->cnt; ++i)
    awaiting_.push_back({list->elems[i].topic, "", list->elems[i].partition, -1});
  is_awaiting_ = true;
  ++assignment_;
  ask_for_offsets();
}

void IntakeLoop::ask_for_offsets() {
  ask_again_at_ = SteadyClock::time_point::max();
  events_.assigned(assignment_, awaiting_);
}

/// Records that weren't handed over are read again by the next owner, from the ledger's offset.
void IntakeLoop::revoke() {
  if (!rd_kafka_assignment_lost(client_.get())) commit_if_due(true);
  ++assignment_;
  is_awaiting_ = false;
  is_assigned_ = false;
  partitions_.clear();
  to_commit_.clear();
  batch_.clear();
  batch_bytes_ = 0;
  rd_kafka_assign(client_.get(), nullptr);
}

void IntakeLoop::assign(const std::vector<PartitionOffset>& offsets) {
  is_awaiting_ = false;
  std::map<PartitionKey, std::int64_t> known;
  for (const PartitionOffset& offset : offsets)
    known[{offset.topic, offset.partition}] = offset.next_offset;
  for (const PartitionOffset& partition : awaiting_) {
    const PartitionKey key{partition.topic, partition.partition};
    const auto found = known.find(key);
    Partition& fresh = partitions_[key];
    fresh.next = found == known.end() ? -1 : found->second;
    fresh.position = fresh.next;
  }
  assign_from_positions();
  is_assigned_ = true;
}

void IntakeLoop::assign_from_positions() {
  const PartitionList list = make_list();
  for (auto& [key, partition] : partitions_) {
    partition.paused = false;
    add_to(list, key).offset =
        partition.position >= 0 ? partition.position : RD_KAFKA_OFFSET_BEGINNING;
  }
  const auto code = rd_kafka_assign(client_.get(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    tell_trouble(to_error(failure_of(code), "starting the assigned partitions"));
  update_pauses();
}

void IntakeLoop::out_of_range(const rd_kafka_message_t& message) {
  const PartitionKey key{rd_kafka_topic_name(message.rkt), message.partition};
  const auto found = partitions_.find(key);
  if (found == partitions_.end()) return;
  Partition& partition = found->second;
  const bool earliest = options_.intake.on_offset_out_of_range == OutOfRange::Earliest;
  Error error;
  error.code = ErrorCode::Conflict;
  error.message = "kafka: the ledger's offset " + std::to_string(partition.next) + " of " +
                  key.first + "/" + std::to_string(key.second) +
                  " is outside of its log: the topic was truncated or recreated, or records " +
                  "expired before they were read; " +
                  (earliest ? "reading from the beginning of the log, as configured"
                            : "the partition is stopped. Set on_offset_out_of_range: earliest to "
                              "read from the beginning of the log");
  tell_trouble(std::move(error));
  partition.stopped = !earliest;
  if (!earliest) return;
  partition.next = -1;
  partition.position = -1;
  // A seek does nothing for a partition in this state (2.0.2); a new assignment does. It keeps the
  // library's pauses, so they are lifted first.
  const PartitionList paused = make_list();
  for (const auto& [each, state] : partitions_)
    if (state.paused) add_to(paused, each);
  if (paused->cnt > 0) rd_kafka_resume_partitions(client_.get(), paused.get());
  assign_from_positions();
}

void IntakeLoop::on_error(const KafkaFailure& failure) {
  if (failure.code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) connected_ = false;
  if (failure.code == RD_KAFKA_RESP_ERR__TRANSPORT || failure.code == RD_KAFKA_RESP_ERR__RESOLVE)
    return;  // one broker; the library connects again
  tell_trouble(to_error(failure, "taking jobs in"));
}

/// Once, and again only after a while.
void IntakeLoop::tell_trouble(Error error) {
  const auto now = SteadyClock::now();
  const auto [told, first] = told_.try_emplace(error.message, now);
  if (!first && now < told->second + kTroubleQuiet) return;
  told->second = now;
  if (told_.size() > 100) told_.clear();
  events_.trouble(std::move(error));
}

// ---- offsets -----------------------------------------------------------------------------------

void IntakeLoop::commit_if_due(bool now) {
  if (to_commit_.empty()) return;
  if (!now && SteadyClock::now() < committed_at_ + options_.intake.commit_interval) return;
  const PartitionList list = make_list();
  for (const auto& [key, next] : to_commit_) add_to(list, key).offset = next;
  to_commit_.clear();
  committed_at_ = SteadyClock::now();
  if (rd_kafka_commit(client_.get(), list.get(), 1) == RD_KAFKA_RESP_ERR_NO_ERROR)
    ++commits_under_way_;
}

void IntakeLoop::on_commit(rd_kafka_resp_err_t code) {
  if (commits_under_way_ > 0) --commits_under_way_;
  // Information for lag tools: the ledger's offsets count, so a failed commit is not repeated.
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET &&
      judge(failure_of(code)).step != KafkaStep::DropPartitions)
    tell_trouble(to_error(failure_of(code), "committing offsets for lag tools"));
}

void IntakeLoop::leave() {
  batch_.clear();
  run_commands();  // acknowledgements that came together with close()
  commit_if_due(true);
  const auto give_up = SteadyClock::now() + kLeaveMax;
  while (commits_under_way_ > 0 && SteadyClock::now() < give_up)
    const MessageHandle dropped(rd_kafka_consumer_poll(client_.get(), 20));
  if (is_awaiting_) revoke();  // the library waits for an answer to every assignment
  rd_kafka_consumer_close(client_.get());
}

// ---- state -------------------------------------------------------------------------------------

void IntakeLoop::look_for_brokers() {
  if (connected_ || SteadyClock::now() < looked_at_ + kLookForBrokers) return;
  const rd_kafka_metadata_t* metadata = nullptr;
  connected_ = rd_kafka_metadata(client_.get(), 0, nullptr, &metadata, kBrokersAnswerMs) ==
               RD_KAFKA_RESP_ERR_NO_ERROR;
  looked_at_ = SteadyClock::now();
  if (metadata) rd_kafka_metadata_destroy(metadata);
}

void IntakeLoop::refresh_state_if_due() {
  if (SteadyClock::now() < refreshed_at_ + kRefreshState) return;
  refreshed_at_ = SteadyClock::now();
  IntakeState state;
  state.connected = connected_;
  state.assigned = is_assigned_;
  state.rebalances = rebalances_;
  state.records = records_;
  state.outstanding = outstanding_;
  for (const auto& [key, partition] : partitions_) {
    PartitionLag lag;
    lag.topic = key.first;
    lag.partition = key.second;
    lag.next_offset = partition.next;
    lag.paused = partition.paused;
    lag.stopped = partition.stopped;
    std::int64_t low = 0;
    std::int64_t high = 0;
    const auto code =
        rd_kafka_get_watermark_offsets(client_.get(), key.first.c_str(), key.second, &low, &high);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0) {
      lag.end_offset = high;
      lag.lag = std::max<std::int64_t>(0, high - std::max(partition.next, low));
    }
    state.partitions.push_back(std::move(lag));
  }
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

IntakeState IntakeLoop::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace ba
