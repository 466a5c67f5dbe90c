#pragma once
// SPDX-License-Identifier: Apache-2.0
// The job topics of the simulated Kafka and their consumer group: logs, committed offsets, members,
// generations. A member keeps what it had until it hears of a rebalance, however late that is.

#include <map>
#include <memory>
#include <set>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/intake_consumer.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/network.hpp"

namespace ba::sim {

class Consumer;

using PartitionKey = std::pair<std::string, int>;

struct JobLog {
  std::vector<RawRecord> records;  ///< the offset is the index; the key says which job it is
  std::int64_t committed = -1;
  int number = 0;         ///< how often its topic was made again
  bool read = false;      ///< somebody has had a record of it
  bool in_doubt = false;  ///< somebody may take it for the log before it
};

struct CommittedOffset {
  std::int64_t next = 0;
  int log = 0;  ///< its number
};

class Group {
 public:
  struct Listener {
    virtual ~Listener() = default;
    virtual void offset_committed(const PartitionKey& key, std::int64_t next) = 0;
  };

  Group(World& world, const Scenario& scenario, const JobTopics& topics, Listener& listener);

  void append(std::size_t lane, int partition, RawRecord record);
  const std::map<PartitionKey, JobLog>& logs() const { return logs_; }
  /// Deletes the topic and makes it again, empty; what it had.
  std::vector<RawRecord> make_again(const std::string& topic);
  /// Whether a member is anywhere but at the beginning of that log.
  bool anybody_inside(const PartitionKey& key) const;

  // Members.
  void join(Consumer& consumer, Process& process);
  void leave(const Consumer& consumer);
  void rebalance();
  /// The process is dead or paused: looks again after the session time-out.
  void silent(const Process& process);

  void was_read(const PartitionKey& key) { logs_.at(key).read = true; }
  void told_apart(const PartitionKey& key) { logs_.at(key).in_doubt = false; }
  void commit_offsets(int generation, const std::map<PartitionKey, CommittedOffset>& offsets);

  void set_down(bool down);
  bool down() const { return down_; }

 private:
  struct Member {
    Consumer* consumer = nullptr;
    Process* process = nullptr;
    std::weak_ptr<bool> alive;
  };

  void expire(const Process& process, int pauses);
  void wake_members();

  World& world_;
  const Scenario& scenario_;
  const JobTopics& topics_;
  Listener& listener_;
  std::map<PartitionKey, JobLog> logs_;
  std::vector<Member> members_;
  int generation_ = 0;
  bool down_ = false;
};

}  // namespace ba::sim
