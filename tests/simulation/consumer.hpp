#pragma once
// SPDX-License-Identifier: Apache-2.0
// A member of the simulated consumer group: the double of worker/kafka's intake consumer, with its
// rules: a partition starts at the ledger's offset, offsets are committed after the ledger, what
// waits for an acknowledgement is bounded.

#include "tests/simulation/group.hpp"

namespace ba::sim {

class Consumer final : public IntakeConsumer {
 public:
  static constexpr std::int64_t kOutstandingMax = 20;  ///< then no further batch begins

  Consumer(World& world, Process& process, Group& group, const LinkFaults& link,
           const Scenario& scenario, Mutant mutant, IntakeEvents events);
  ~Consumer() override;

  void acknowledge(std::size_t records, std::vector<PartitionOffset> next_offsets) override;
  void set_paused(std::set<std::string> topics) override;
  void close(std::function<void()> done) override;
  IntakeState state() const override;

  // For the group; on the process.
  void adopt(int generation, const std::vector<PartitionOffset>& partitions);
  void rejoin();
  void fetch_soon();
  std::int64_t position(const PartitionKey& key) const;
  std::weak_ptr<bool> alive() const { return alive_; }

 private:
  struct Partition {
    std::int64_t position = 0;
    std::int64_t acknowledged = -1;
    int epoch = 0;
    int log = 0;  ///< its number when the ledger was asked
    bool out_of_range = false;
  };

  void ask_for_offsets();
  using Numbers = std::vector<int>;  ///< of logs, as they were asked for

  void start_at(int assignment, const Numbers& logs, Result<std::vector<PartitionOffset>> offsets);
  void fetch();
  void begin_epoch(const PartitionKey& key);
  void epoch_begun(int assignment, const PartitionKey& key, const Result<PartitionOffset>& begun);
  void commit_offsets(std::map<PartitionKey, CommittedOffset> offsets);
  bool full() const { return outstanding_ >= kOutstandingMax; }
  void leave();

  World& world_;
  Process& process_;
  Group& group_;
  const LinkFaults& link_;
  const Scenario& scenario_;
  Mutant mutant_;
  IntakeEvents events_;
  int generation_ = 0;
  int assignment_ = 0;
  std::vector<PartitionOffset> awaiting_;
  std::map<PartitionKey, Partition> partitions_;
  std::set<std::string> paused_topics_;
  std::int64_t rebalances_ = 0;
  std::int64_t records_ = 0;
  std::int64_t outstanding_ = 0;
  int commits_under_way_ = 0;
  bool assigned_ = false;
  bool fetching_ = false;
  bool closed_ = false;
  bool left_ = false;
  std::function<void()> on_left_;
  std::unique_ptr<Timer> ask_again_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ba::sim
