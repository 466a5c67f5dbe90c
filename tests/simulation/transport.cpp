// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/transport.hpp"

#include <algorithm>

#include "pipeline/core/outbox/taint_guard.hpp"

namespace ba::sim {
namespace {

using Answer = Transactions::Answer;
using Receipt = std::optional<std::int64_t>;

// Numbers of Kafka's requests.
constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kInitProducerId = 22;
constexpr std::int16_t kAddPartitionsToTxn = 24;
constexpr std::int16_t kEndTxn = 26;

constexpr int kTriesMax = 4;
constexpr int kRefusalsMax = 40;
constexpr int kFoundPermille = 600;
constexpr Milliseconds kBackoff{6};

Error no_answer(const char* what) {
  return {ErrorCode::Timeout, Retry::Later, std::string("no answer to ") + what, "", {}, true};
}

Error refusal(Answer answer) {
  if (answer == Answer::TooLarge)
    return {ErrorCode::LimitExceeded, Retry::Later, "a record is too large", "", {}, false};
  if (answer == Answer::Closed)
    return {ErrorCode::PermissionDenied, Retry::Later, "a topic is closed", "", {}, false};
  const bool fenced = answer == Answer::Fenced;
  return {fenced ? ErrorCode::Fenced : ErrorCode::Protocol,
          Retry::Later,
          fenced ? "the producer was fenced" : "the transaction is in another state",
          "",
          {},
          false};
}

class Transport final : public ShardTransport {
 public:
  Transport(TransportStage& stage, Process& process, int shard)
      : stage_(stage), process_(process), shard_(shard) {}

  void open(Completion<Receipt> done) override {
    opened_ = std::move(done);
    if (stage_.mutant == Mutant::ReceiptReadBeforeInit) return read_receipt();
    if (stage_.mutant == Mutant::NoInitAfterFailure && epoch_ >= 0) return read_receipt();
    init();
  }

  void send(OutboxBatch batch, Completion<bool> done) override {
    sent_ = std::move(done);
    refused_.reset();
    closed_.clear();
    batch_ = std::move(batch);
    guard_->begin();
    transaction_ = ++stage_.transactions;
    request({"AddPartitionsToTxn", kAddPartitionsToTxn,
             [this_ = about()](Transactions& broker) {
               return broker.add_partitions(this_.shard, this_.epoch, this_.transaction);
             },
             [this] { produce_half(); }});
  }

  std::optional<RefusedRecord> refused() const override { return refused_; }
  std::map<std::string, std::string> closed() const override { return closed_; }

 private:
  struct About {
    int shard;
    int epoch;
    std::int64_t transaction;
  };
  struct Request {
    const char* name;
    std::int16_t api;
    std::function<Answer(Transactions&)> at_broker;
    std::function<void()> then;
    int tries = 0;
    int refusals = 0;
  };
  using Shared = std::shared_ptr<Request>;

  About about() const { return {shard_, epoch_, transaction_}; }

  // ---- open -----------------------------------------------------------------------------------

  void init() {
    guard_ = std::make_unique<TaintGuard>();
    epoch_ = -1;
    sequence_ = 0;
    auto epoch = std::make_shared<int>(-1);
    request({"InitProducerId", kInitProducerId,
             [shard = shard_, epoch](Transactions& broker) {
               const auto [answer, given] = broker.init(shard);
               *epoch = given;
               return answer;
             },
             [this, epoch] {
               epoch_ = *epoch;
               if (stage_.mutant == Mutant::ReceiptReadBeforeInit) return opened(receipt_);
               read_receipt();
             }});
  }

  void read_receipt() {
    if (!process_.acts("Fetch receipt")) return;
    sim::send<Receipt>(
        stage_.world, process_, stage_.link,
        [&stage = stage_, shard = shard_](Reply<Receipt> reply) {
          if (!stage.broker_down) reply->answer(stage.broker.last_receipt(shard));
        },
        [this, alive = std::weak_ptr(alive_)](std::optional<Receipt> answer) {
          if (!alive.lock()) return;
          if (!answer) return fail(no_answer("Fetch"));
          receipt_ = *answer;
          if (stage_.mutant == Mutant::ReceiptReadBeforeInit) return init();
          opened(receipt_);
        });
  }

  void opened(Receipt receipt) {
    const ShardState ledger = stage_.ledger(shard_);
    mark_receipt(ledger, receipt.value_or(0));
    const std::int64_t number = receipt.value_or(0);
    if (stage_.mutant == Mutant::SetBackIgnored && number > ledger.assigned_batch)
      receipt = ledger.assigned_batch;
    if (stage_.mutant == Mutant::LostReceiptIgnored && number < ledger.published_batch)
      receipt = ledger.published_batch;
    if (stage_.mutant == Mutant::UnknownCommitIsFailure) receipt = ledger.published_batch;
    std::exchange(opened_, nullptr)(receipt);
  }

  void mark_receipt(const ShardState& ledger, std::int64_t number) {
    if (number > ledger.assigned_batch) stage_.world.mark(Mark::ShardStoppedAhead);
    if (number < ledger.published_batch) stage_.world.mark(Mark::ShardStoppedBehind);
    if (ledger.assigned_batch == ledger.published_batch) return;
    if (number == ledger.assigned_batch) stage_.world.mark(Mark::ReceiptSaidSent);
    if (number == ledger.published_batch) stage_.world.mark(Mark::ReceiptSaidUnsent);
  }

  // ---- send -----------------------------------------------------------------------------------

  void produce_half() {
    Produced what;
    const std::size_t half = batch_.records.size() / 2;
    const auto middle = batch_.records.begin() + static_cast<std::ptrdiff_t>(half);
    what.records.assign(batch_.records.begin(), middle);
    if (half == 0) return produce_rest(0);
    produce(std::move(what), [this, half] { produce_rest(half); });
  }

  void produce_rest(std::size_t from) {
    Produced what;
    what.records.assign(batch_.records.begin() + static_cast<std::ptrdiff_t>(from),
                        batch_.records.end());
    if (stage_.mutant != Mutant::ReceiptOutside) what.receipt = batch_.number;
    produce(std::move(what), [this] { end(); });
  }

  void produce(Produced what, std::function<void()> then) {
    const auto shared = std::make_shared<const Produced>(std::move(what));
    request({"Produce", kProduce,
             [this_ = about(), sequence = sequence_++, shared](Transactions& broker) {
               return broker.produce(this_.shard, this_.epoch, sequence, *shared);
             },
             std::move(then)});
  }

  void end() {
    request({"EndTxn", kEndTxn,
             [this_ = about()](Transactions& broker) {
               return broker.end(this_.shard, this_.epoch, this_.transaction);
             },
             [this] { committed(); }});
  }

  void committed() {
    const bool clean = guard_->clean();
    if (!clean) stage_.world.mark(Mark::GuardReplacedProducer);
    if (stage_.mutant == Mutant::ReceiptOutside) write_receipt_apart();
    std::exchange(sent_, nullptr)(clean);
  }

  void write_receipt_apart() {
    if (!process_.acts("Produce receipt")) return;
    sim::send<bool>(
        stage_.world, process_, stage_.link,
        [&broker = stage_.broker, shard = shard_, number = batch_.number](Reply<bool>) {
          broker.write_receipt(shard, number);
        },
        [](std::optional<bool>) {});
  }

  // ---- requests -------------------------------------------------------------------------------

  void request(Request request) { submit(std::make_shared<Request>(std::move(request))); }

  void submit(const Shared& request) {
    if (!process_.acts(request->name)) return;
    guard_->on_sent(request->api);
    sim::send<Answer>(
        stage_.world, process_, stage_.link,
        [&stage = stage_, request](Reply<Answer> reply) {
          if (stage.broker_down) return;
          if (stage.coordinator_moving) {
            stage.world.mark(Mark::CoordinatorMoved);
            return reply->answer(Answer::Concurrent);
          }
          reply->answer(request->at_broker(stage.broker));
        },
        [this, alive = std::weak_ptr(alive_), request](std::optional<Answer> answer) {
          if (alive.lock()) answered(request, answer);
        });
  }

  void answered(const Shared& request, std::optional<Answer> answer) {
    if (!answer) {
      if (++request->tries < kTriesMax) return submit(request);
      if (request->api == kEndTxn && stage_.mutant == Mutant::UnknownCommitIsSuccess)
        return committed();
      return fail(no_answer(request->name));
    }
    guard_->on_received(request->api, false);
    if (*answer == Answer::Ok) return request->then();
    if (*answer == Answer::Concurrent && ++request->refusals < kRefusalsMax) {
      backoff_ = process_.after(kBackoff, [this, request] { submit(request); });
      return;
    }
    if (*answer == Answer::TooLarge) find_refused();
    if (*answer == Answer::Closed) {
      stage_.world.mark(Mark::TopicClosed);
      closed_ = stage_.broker.closed_among(batch_.records);
    }
    if (*answer == Answer::Fenced) stage_.world.mark(Mark::ProducerFenced);
    fail(refusal(*answer));
  }

  /// Kafka refuses a whole request: which record of it was the reason, the next try may show.
  void find_refused() {
    if (!stage_.world.dice.hit(kFoundPermille)) return;
    const auto found = std::find_if(batch_.records.begin(), batch_.records.end(), too_large);
    refused_ = RefusedRecord{static_cast<std::size_t>(found - batch_.records.begin()), "too large"};
  }

  void fail(const Error& error) {
    if (auto done = std::exchange(opened_, nullptr)) return done(error);
    if (auto done = std::exchange(sent_, nullptr)) return done(error);
  }

  TransportStage& stage_;
  Process& process_;
  int shard_;
  int epoch_ = -1;
  int sequence_ = 0;
  std::int64_t transaction_ = 0;
  Receipt receipt_;
  OutboxBatch batch_;
  std::optional<RefusedRecord> refused_;
  std::map<std::string, std::string> closed_;
  std::unique_ptr<TaintGuard> guard_ = std::make_unique<TaintGuard>();
  Completion<Receipt> opened_;
  Completion<bool> sent_;
  std::unique_ptr<Timer> backoff_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<ShardTransport> Transports::create(int shard) {
  return std::make_unique<Transport>(stage_, process_, shard);
}

}  // namespace ba::sim
