#pragma once
// SPDX-License-Identifier: Apache-2.0
// The person whom jobs wait for: looks now and then at what the ledger asks, and tells the truth
// about each call. She says that a call did not happen only once nothing of it can come any more.

#include "tests/simulation/nemesis.hpp"

namespace ba::sim {

class Person {
 public:
  Person(World& world, Database& database, Checker& checker, const ToolStage& tools,
         const Nemesis& nemesis)
      : world_(world), database_(database), checker_(checker), tools_(tools), nemesis_(nemesis) {}

  void begin();

 private:
  void look();
  void look_at(const FakeJob& job);
  std::optional<CallVerdict> verdict(const std::string& key);

  World& world_;
  Database& database_;
  Checker& checker_;
  const ToolStage& tools_;
  const Nemesis& nemesis_;
};

}  // namespace ba::sim
