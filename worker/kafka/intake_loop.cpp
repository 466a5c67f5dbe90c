// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/intake_loop.hpp"

#include <algorithm>

#include "worker/kafka/needed_rights.hpp"

namespace ba::kafka {
namespace {

constexpr Milliseconds kPollMax{100};
constexpr Milliseconds kAskAgain{500};
constexpr Milliseconds kLookForBrokers{2'000};
constexpr Milliseconds kRefreshState{250};
constexpr Milliseconds kTroubleQuiet{30'000};
constexpr Milliseconds kLeaveMax{3'000};
constexpr int kBrokersAnswerMs = 500;
constexpr Milliseconds kHeartbeatMax{3'000};  // librdkafka's default
// A topic that was denied or deleted leaves the assignment, and comes back when it is seen again;
// librdkafka's default is 5 minutes.
constexpr Milliseconds kLookForTopics{10'000};

Settings consumer_settings(const KafkaOptions& options) {
  const KafkaIntakeOptions& intake = options.intake;
  // Three in a session: one that comes late must not end it.
  const Milliseconds heartbeat = std::min(kHeartbeatMax, intake.session_timeout / 3);
  return {{"group.id", options.group_id},
          // Who has which partition is decided by members and ends with the session: with the newer
          // protocol the broker sets the session, and there is no strategy.
          {"group.protocol", "classic"},
          // Not cooperative: the ledger's offsets are asked for once for each whole assignment.
          {"partition.assignment.strategy", "range"},
          {"isolation.level", "read_committed"},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"enable.partition.eof", "false"},
          {"topic.metadata.refresh.interval.ms", std::to_string(kLookForTopics.count())},
          {"auto.offset.reset", "error"},
          // A partition that is assigned or resumed waits for the fetch of the others that is under
          // way: at the start, that of whichever empty one was ready first.
          {"fetch.wait.max.ms", "100"},
          {"max.poll.interval.ms", std::to_string(intake.poll_interval_max.count())},
          {"session.timeout.ms", std::to_string(intake.session_timeout.count())},
          {"heartbeat.interval.ms", std::to_string(heartbeat.count())},
          {"queued.min.messages", std::to_string(intake.fetch_records_min)},
          {"queued.max.messages.kbytes", std::to_string(intake.fetch_kilobytes_max)},
          {"fetch.message.max.bytes", std::to_string(intake.record_bytes_max)}};
}

/// As the library quotes it: "Subscribed topic not available: ba.jobs: …".
bool names_topic(const std::string& text, const std::string& topic) {
  return text.find(" " + topic + ":") != std::string::npos ||
         text.find(" " + topic + " ") != std::string::npos;
}

}  // namespace

IntakeLoop::IntakeLoop(const KafkaOptions& options, IntakeLoopEvents events)
    : ClientHooks(options.log),
      options_(options),
      events_(std::move(events)),
      batch_(options_.intake),
      commits_(options_.intake.commit_interval) {}

Result<void> IntakeLoop::subscribe() {
  auto client = make_client(RD_KAFKA_CONSUMER, options_, *this, consumer_settings(options_));
  if (!client) return client.error();
  client_ = std::move(*client);
  rd_kafka_poll_set_consumer(client_.get());
  queue_.reset(rd_kafka_queue_get_consumer(client_.get()));
  const PartitionList topics = make_partition_list();
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
    commits_.send(*client_, false);
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
    if (assignment != assignment_) return;  // of an assignment that is gone
    if (offsets) return assign(*offsets);
    ask_again_at_ = SteadyClock::now() + kAskAgain;
  });
}

/// However it went, the ledger knows best where the partition stands now.
void IntakeLoop::epoch_begun(std::int64_t assignment, PartitionOffset before,
                             Result<PartitionOffset> begun) {
  add([this, assignment, before = std::move(before), begun = std::move(begun)] {
    if (assignment != assignment_) return;
    awaiting_.push_back({before.topic, "", before.partition, -1});
    is_awaiting_ = true;
    if (begun || begun.error().code == ErrorCode::Conflict) return ask_for_offsets();
    ask_again_at_ = SteadyClock::now() + kAskAgain;
  });
}

void IntakeLoop::acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) {
  add([this, records, next_offsets = std::move(next_offsets)] {
    forget(records);
    for (const PartitionOffset& offset : next_offsets)
      if (partitions_.acknowledged(offset)) commits_.add(offset);
    update_pauses();
  });
}

void IntakeLoop::forget(std::size_t records) {
  for (; records > 0 && !outstanding_.empty(); --records) {
    outstanding_bytes_ -= outstanding_.front();
    outstanding_.pop_front();
  }
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

void IntakeLoop::poll_once() {
  const auto patience = static_cast<int>(batch_.patience(kPollMax).count());
  const MessageHandle message(rd_kafka_consumer_poll(client_.get(), patience));
  if (!message) return;
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return take(*message);
  if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) return out_of_range(*message);
  tell_denial(to_error(failure_of(message->err, rd_kafka_message_errstr(message.get())),
                       "reading the job topics"),
              message->rkt ? rd_kafka_topic_name(message->rkt) : "");
}

void IntakeLoop::take(const rd_kafka_message_t& message) {
  connected_ = true;
  RawRecord record = to_raw_record(message);
  partitions_.took(record.source);
  batch_.add(std::move(record), message.len + message.key_len);
}

void IntakeLoop::hand_over_if_due() {
  if (!batch_.due()) return;
  std::vector<RawRecord> records = batch_.take();
  for (const RawRecord& record : records) {
    outstanding_.push_back(bytes_of(record));
    outstanding_bytes_ += outstanding_.back();
  }
  records_ += static_cast<std::int64_t>(records.size());
  events_.records(std::move(records));
  update_pauses();
}

void IntakeLoop::update_pauses() {
  const auto records_max = static_cast<std::size_t>(options_.intake.outstanding_records_max);
  const auto bytes_max = static_cast<std::size_t>(options_.intake.outstanding_bytes_max);
  held_ = held_ ? outstanding_.size() > records_max / 2 || outstanding_bytes_ > bytes_max / 2
                : outstanding_.size() >= records_max || outstanding_bytes_ >= bytes_max;
  partitions_.pause(*client_, held_, paused_topics_);
}

// ---- the group ---------------------------------------------------------------------------------

void IntakeLoop::on_rebalance(rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list) {
  ++rebalances_;
  if (code != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) return revoke();
  connected_ = true;
  awaiting_.clear();
  for (int i = 0; i < list->cnt; ++i)
    awaiting_.push_back({list->elems[i].topic, "", list->elems[i].partition, -1});
  ++assignment_;
  is_awaiting_ = true;
  ask_for_offsets();
}

void IntakeLoop::ask_for_offsets() {
  ask_again_at_ = SteadyClock::time_point::max();
  events_.assigned(assignment_, awaiting_);
}

/// Records that weren't handed over are read again by the next owner, from the ledger's offset.
void IntakeLoop::revoke() {
  if (!rd_kafka_assignment_lost(client_.get())) commits_.send(*client_, true);
  ++assignment_;
  awaiting_.clear();
  is_awaiting_ = false;
  is_assigned_ = false;
  partitions_.release(*client_);
  commits_.clear();
  batch_.take();
  rd_kafka_assign(client_.get(), nullptr);
}

void IntakeLoop::assign(const std::vector<PartitionOffset>& offsets) {
  std::erase_if(awaiting_, [&](const PartitionOffset& asked) {
    return std::any_of(offsets.begin(), offsets.end(), [&](const PartitionOffset& answered) {
      return answered.topic == asked.topic && answered.partition == asked.partition;
    });
  });
  is_awaiting_ = !awaiting_.empty();
  partitions_.start(offsets);
  is_assigned_ = true;
  if (const auto code = partitions_.assign(*client_); code != RD_KAFKA_RESP_ERR_NO_ERROR)
    tell_trouble(to_error(failure_of(code), "starting the assigned partitions"));
  update_pauses();
}

void IntakeLoop::out_of_range(const rd_kafka_message_t& message) {
  const PartitionKey key{rd_kafka_topic_name(message.rkt), message.partition};
  const bool earliest = options_.intake.on_offset_out_of_range == OutOfRange::Earliest;
  const auto known = partitions_.out_of_range(key, !earliest);
  if (!known) return;
  Error error = make_error(
      ErrorCode::Conflict,
      "kafka: the ledger's offset " + std::to_string(known->next_offset) + " of " + key.first +
          "/" + std::to_string(key.second) +
          " is outside of its log: the topic was truncated or recreated, or records " +
          "expired before they were read; " +
          (earliest ? "reading from the beginning of the log, as configured"
                    : "the partition is stopped. Set on_offset_out_of_range: earliest to "
                      "read from the beginning of the log"));
  tell_trouble(std::move(error));
  // The ledger forgets its offset first: else a crash from here on would go on at the old one. A
  // seek does nothing for a partition in this state (2.0.2); the new assignment does.
  if (earliest) events_.out_of_range(assignment_, *known);
}

void IntakeLoop::on_error(const KafkaFailure& failure) {
  if (failure.code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) connected_ = false;
  if (failure.code == RD_KAFKA_RESP_ERR__TRANSPORT || failure.code == RD_KAFKA_RESP_ERR__RESOLVE)
    return;  // one broker; the library connects again
  tell_denial(to_error(failure, "taking jobs in"), "");
}

/// With what is missing, where something is denied. The library names one topic at most, and not
/// always; where it names none and no group, the trouble is told as it is.
void IntakeLoop::tell_denial(Error error, const std::string& topic) {
  std::string denied;
  for (const std::string& jobs : options_.topics.jobs)
    if (jobs == topic || names_topic(error.message, jobs)) denied = jobs;
  tell_trouble(with_lack_of_reading(std::move(error), denied, options_));
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

void IntakeLoop::on_commit(rd_kafka_resp_err_t code) {
  if (commits_.answered(code))
    tell_denial(to_error(failure_of(code), "committing offsets for lag tools"), "");
}

void IntakeLoop::leave() {
  batch_.take();
  run_commands();  // acknowledgements that came together with close()
  commits_.send(*client_, true);
  const auto give_up = SteadyClock::now() + kLeaveMax;
  while (commits_.under_way() && SteadyClock::now() < give_up)
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
  state.outstanding = static_cast<std::int64_t>(outstanding_.size());
  state.partitions = partitions_.lags(*client_);
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

IntakeState IntakeLoop::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace ba::kafka
