#pragma once
// SPDX-License-Identifier: Apache-2.0
// The transactions of the simulated Kafka, as far as outbox shards depend on them: epochs and
// fencing, sequence numbers of produce requests, the time between a decision and its markers,
// time-outs, visibility by commit, and the trap that an EndTxn which comes late ends whatever
// transaction of its epoch is open (KIP-890). The shard's receipts stand in a partition of their
// own.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/ledger/outbox_records.hpp"
#include "tests/simulation/world.hpp"

namespace ba::sim {

/// What one produce request carries.
struct Produced {
  std::vector<OutboxRecord> records;
  std::optional<std::int64_t> receipt;
};

/// Kafka will never take it.
bool too_large(const OutboxRecord& record);

class Transactions {
 public:
  enum class Answer { Ok, Concurrent, Fenced, InvalidState, TooLarge, Closed };

  struct Listener {
    virtual ~Listener() = default;
    virtual void record_visible(const OutboxRecord& record) = 0;
    virtual void receipt_visible(int shard, std::int64_t number) = 0;
    virtual void record_refused(const OutboxRecord& record) = 0;
  };

  Transactions(World& world, Listener& listener) : world_(world), listener_(listener) {}

  struct Initialised {
    Answer answer = Answer::Ok;
    int epoch = -1;
  };
  Initialised init(int shard);
  /// `transaction` is what the sender means here and below: the broker only remembers it.
  Answer add_partitions(int shard, int epoch, std::int64_t transaction);
  Answer produce(int shard, int epoch, int sequence, const Produced& what);
  Answer end(int shard, int epoch, std::int64_t transaction);

  /// A record outside of any transaction (what must not be done).
  void write_receipt(int shard, std::int64_t number);
  std::optional<std::int64_t> last_receipt(int shard) { return shards_[shard].receipt; }
  void delete_receipts();
  /// Takes nothing for it until topics are opened.
  void close_topic(const std::string& topic);
  void open_topics() { closed_.clear(); }
  std::map<std::string, std::string> closed_among(const std::vector<OutboxRecord>& records) const;

  /// Once, when the next receipt has become visible.
  void after_receipt(std::function<void()> then) { after_receipt_ = std::move(then); }

 private:
  struct Shard {
    int epoch = 0;
    bool open = false;
    bool deciding = false;  ///< decided, the markers are not written yet
    bool committed_last = false;
    std::int64_t transaction = 0;
    int next_sequence = 0;
    Produced pending;
    std::optional<std::int64_t> receipt;
  };

  void decide(int shard, bool commit);
  void write_markers(int shard, bool commit);

  World& world_;
  Listener& listener_;
  std::map<int, Shard> shards_;
  std::set<std::string> closed_;
  std::function<void()> after_receipt_;
};

}  // namespace ba::sim
