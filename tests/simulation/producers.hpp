#pragma once
// SPDX-License-Identifier: Apache-2.0
// Those who send jobs, each record at its time, and who make a job topic again, with the same name:
// what nobody had taken in by then they send once more. They send nothing into the new topic while
// somebody may still take it for the old one: a log that has outgrown the old offset by then can't
// be told from it (docs/decisions/0004-epochs-of-a-partition.md).

#include "tests/simulation/checker.hpp"

namespace ba::sim {

class Producers {
 public:
  Producers(World& world, const Plan& plan, const JobTopics& topics, Group& group,
            const Checker& checker)
      : world_(world), plan_(plan), topics_(topics), group_(group), checker_(checker) {}

  void watch(const Database& database) { database_ = &database; }
  void begin();
  /// Deletes one of the topics and makes it again, empty.
  void make_topic_again();
  /// No fault is left: soon, whatever was sent before has arrived. Then the group is rebalanced.
  void heal();
  bool idle() const { return unsent_ == 0; }

 private:
  struct Held {
    std::size_t lane = 0;
    int partition = 0;
    RawRecord record;
  };
  /// A log that may be taken for the one before it.
  struct Doubt {
    int epoch = 0;                    ///< of the ledger, in which the old one was read
    std::optional<SteadyTime> clear;  ///< since when nobody does so
  };

  void send(Held held);
  void look_later();
  void look();
  bool clear(const PartitionKey& key, const Doubt& doubt) const;
  int epoch(const PartitionKey& key) const;

  World& world_;
  const Plan& plan_;
  const JobTopics& topics_;
  Group& group_;
  const Checker& checker_;
  const Database* database_ = nullptr;
  std::vector<Held> held_;
  std::map<PartitionKey, Doubt> doubts_;
  int unsent_ = 0;
  bool made_again_ = false;
  bool looking_ = false;
  bool quiet_ = false;
};

}  // namespace ba::sim
