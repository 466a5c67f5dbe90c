// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/incarnation.hpp"

namespace ba::driver {

/// The engine's view of the consumer: lanes instead of topics. Also what closes it on time.
class Incarnation::Source final : public IntakeSource {
 public:
  Source(const JobTopics& topics, std::unique_ptr<IntakeConsumer> consumer)
      : topics_(topics), consumer_(std::move(consumer)) {}

  void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) override {
    consumer_->acknowledge(records, std::move(next_offsets));
  }

  void set_paused(std::set<Lane> lanes) override {
    std::set<std::string> topics;
    for (const Lane lane : lanes) topics.insert(topics_.at(static_cast<std::size_t>(lane)));
    consumer_->set_paused(std::move(topics));
  }

  IntakeConsumer& consumer() { return *consumer_; }

 private:
  const JobTopics& topics_;
  std::unique_ptr<IntakeConsumer> consumer_;
};

Incarnation::Incarnation(const IncarnationParts& parts, IncarnationOptions options,
                         std::function<void(LifeEnd)> ended)
    : parts_(parts),
      options_(std::move(options)),
      ended_(std::move(ended)),
      lease_(parts.membership, parts.lease_executor, parts.runner.clock, options_.lease,
             lease_events()),
      publisher_(parts.outbox, parts.transports, parts.runner.executor, options_.publisher,
                 publisher_events()),
      cleaner_(parts.retention, parts.runner.executor, options_.cleaner, cleaner_events()),
      engine_(parts.runner, parts.decode, options_.engine, engine_hooks()) {}

Incarnation::~Incarnation() = default;

void Incarnation::start() {
  lease_.enter(options_.identity, [this](Result<IncarnationId> self) { entered(std::move(self)); });
}

void Incarnation::entered(Result<IncarnationId> self) {
  if (!self) {
    parts_.log.warning("cannot enter the ledger", {{"error", self.error().message}});
    return end(LifeEnd::NeverBegan);
  }
  parts_.log.info("worker entered",
                  {{"incarnation", self.value().value}, {"worker", options_.identity.worker}});
  publisher_.start(self.value());
  cleaner_.start(self.value());
  consume(self.value());
}

void Incarnation::consume(IncarnationId self) {
  auto consumer = parts_.make_consumer(intake_events());
  if (!consumer) {
    parts_.log.error("cannot consume jobs", {{"error", consumer.error().message}});
    return end(LifeEnd::NeverBegan);
  }
  source_ = std::make_unique<Source>(parts_.job_topics, std::move(consumer.value()));
  engine_.start(self, source_.get());
}

IntakeEvents Incarnation::intake_events() {
  IntakeEvents events;
  events.start_offsets = [this](std::vector<PartitionOffset> partitions,
                                Completion<std::vector<PartitionOffset>> done) {
    parts_.runner.ledger.intake_offsets(lease_.incarnation(), std::move(partitions),
                                        std::move(done));
  };
  events.begin_epoch = [this](PartitionOffset partition, Completion<PartitionOffset> done) {
    parts_.log.warning("intake of a partition begins anew at the beginning of its log",
                       {{"topic", partition.topic},
                        {"partition", partition.partition},
                        {"ledger_offset", partition.next_offset},
                        {"epoch", partition.epoch + 1}});
    parts_.runner.ledger.reset_intake(lease_.incarnation(), std::move(partition), std::move(done));
  };
  events.records = [this](std::vector<RawRecord> records) {
    if (!over_) engine_.take(std::move(records));
  };
  events.trouble = [this](Error error) {
    parts_.log.error("intake is in trouble", {{"error", error.message}, {"code", error.detail}});
  };
  return events;
}

EngineHooks Incarnation::engine_hooks() {
  EngineHooks hooks;
  hooks.fenced = [this] { end(LifeEnd::Lost); };
  hooks.outbox_written = [this](int shard) { publisher_.nudge(shard); };
  hooks.lease_holds = [this] { return lease_.alive(); };
  return hooks;
}

PublisherEvents Incarnation::publisher_events() {
  PublisherEvents events;
  events.fenced = [this](const Error& error) {
    if (!over_) parts_.log.error("publishing is refused", {{"error", error.message}});
    end(LifeEnd::Lost);
  };
  events.shard_stopped = [this](int shard, const std::string& reason) {
    parts_.observer.shard_stopped();
    parts_.log.error("outbox shard stopped", {{"shard", shard}, {"reason", reason}});
  };
  events.trouble = [this](int shard, const Error& error) {
    const SteadyTime now = parts_.runner.clock.now();
    const bool contested = publishing_.contested(now);
    const auto quiet = publishing_.failed(shard, error, now);
    if (!contested && publishing_.contested(now))
      parts_.log.error(
          "somebody else publishes as shards of this worker: another installation with the same "
          "kafka.publisher.transactional_id_prefix? Give each its own",
          {{"shard", shard}, {"error", error.message}});
    if (quiet)
      parts_.log.warning("publishing is delayed",
                         {{"shard", shard}, {"error", error.message}, {"like_it_before", *quiet}});
  };
  events.published = [this](int shard, std::int64_t batch, int records) {
    publishing_.published(shard);
    parts_.observer.published(records);
    parts_.log.debug("batch published", {{"shard", shard}, {"batch", batch}, {"records", records}});
  };
  return events;
}

LeaseEvents Incarnation::lease_events() {
  LeaseEvents events;
  events.lost = [this] {
    parts_.log.error("the lease is lost", {{"incarnation", lease_.incarnation().value}});
    end(LifeEnd::Lost);
  };
  events.reaped = [this](int incarnations) {
    parts_.observer.reaped(incarnations);
    parts_.log.warning("dead workers' jobs were taken back", {{"incarnations", incarnations}});
    engine_.look_for_work();
    publisher_.ownership_changed();
  };
  events.trouble = [this](const Error& error) {
    parts_.log.warning("the lease could not be renewed", {{"error", error.message}});
  };
  return events;
}

CleanerEvents Incarnation::cleaner_events() {
  CleanerEvents events;
  events.removed = [this](const RemovedRows& rows) { parts_.observer.removed(rows); };
  events.trouble = [this](const Error& error) {
    parts_.log.warning("old rows could not be removed", {{"error", error.message}});
  };
  return events;
}

void Incarnation::drain() {
  if (draining_ || over_) return;
  draining_ = true;
  cleaner_.stop();
  if (!source_) return end(LifeEnd::NeverBegan);
  parts_.log.info("draining", {{"running", engine_.running()}});
  source_->consumer().close([] {});
  grace_ = parts_.runner.executor.after(options_.drain_grace, [this] { engine_.abandon(); });
  engine_.drain([this] { engine_drained(); });
}

void Incarnation::engine_drained() {
  if (over_) return;
  grace_.reset();
  publisher_.drain(options_.publish_grace, [this](bool everything) {
    if (over_) return;
    if (!everything) parts_.log.warning("results are left for other workers to publish");
    publisher_.stop();
    lease_.leave([this](Result<void> left) {
      if (!left) parts_.log.warning("could not leave", {{"error", left.error().message}});
      end(LifeEnd::Drained);
    });
  });
}

void Incarnation::end(LifeEnd how) {
  if (over_) return;
  over_ = true;
  publisher_.stop();
  cleaner_.stop();
  if (how == LifeEnd::Lost) {
    parts_.log.error("this life is over: dropping all work",
                     {{"incarnation", lease_.incarnation().value}, {"running", engine_.running()}});
    parts_.observer.fenced();
    engine_.drop();
  }
  // This object is on the stack: whoever owns it destroys it on the next turn.
  parts_.runner.executor.post([ended = ended_, how] { ended(how); });
}

LifeState Incarnation::state() const {
  LifeState state;
  state.entered = lease_.alive();
  state.ledger_ok = engine_.ledger_ok();
  state.draining = draining_;
  state.running = engine_.running();
  state.waiting = engine_.waiting();
  state.publisher = publisher_.counters();
  if (source_) state.intake = source_->consumer().state();
  state.kafka_connected = state.intake.connected;
  state.publishing_contested = publishing_.contested(parts_.runner.clock.now());
  if (state.publisher.shards_failing > 0) state.publishing_denied = publishing_.denied();
  state.closed_topics = publisher_.closed_topics();
  return state;
}

}  // namespace ba::driver
