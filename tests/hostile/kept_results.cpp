// SPDX-License-Identifier: Apache-2.0
// What others were told, and the cache still knows: each of the known calls, when everybody could
// read a canary there. Now nobody can, but for those whom the cache gives it again.
#include <stdexcept>

#include "tests/hostile/hostile_world.hpp"
#include "tests/hostile/known_calls.hpp"

namespace ba {

void HostileWorld::keep_results_of_others() {
  const std::vector<Caller> others{
      {"globex", "hostile", PermissionLevel::Default, job("globex", "kept"), {}},
      {"acme", "trusted", PermissionLevel::Default, job("acme", "kept"), {}},
      {"acme", "hostile", PermissionLevel::Admin, job("acme", "kept too"), {}}};
  show_the_canary_to_everyone();
  for (const Caller& caller : others) expect_the_canary_in_known_calls_of(caller);
  executor_.run_until([&] { return !cache_->writing(); });
  hide_it_again();
  for (const Caller& caller : others) expect_the_canary_in_known_calls_of(caller);
}

void HostileWorld::expect_the_canary_in_known_calls_of(const Caller& caller) {
  for (const KnownCall& known : kKnownCalls) {
    const Attempt call{AttemptKind::KeptResult, std::string(known.tool), std::string(known.args)};
    const ToolResult result = call_as(caller, call);
    if (result.observation.find(canaries_[4]) == std::string::npos)
      throw std::runtime_error("not kept: " + call.tool + " " + call.args + " of " + caller.tenant +
                               ": " + result.observation);
  }
}

void HostileWorld::show_the_canary_to_everyone() {
  const std::string& canary = canaries_[4];
  sql::Person(database_.owner_url()).run("INSERT INTO words VALUES ('" + canary + "')");
  for (const char* tenant : {"acme", "globex"})
    sql::Person(passages_.owner_url())
        .run("INSERT INTO ba_passages VALUES ('" + std::string(tenant) + "', 'kept', '" + canary +
             "', '" + HostileServices::kVector + "')");
  root_.write("data.csv", "word\n" + canary + "\n");
  services_.find({canary});
}

void HostileWorld::hide_it_again() {
  sql::Person(database_.owner_url()).run("DELETE FROM words WHERE word = '" + canaries_[4] + "'");
  sql::Person(passages_.owner_url()).run("DELETE FROM ba_passages WHERE id = 'kept'");
  root_.write("data.csv", "word\nopen\n");
  services_.find({"nothing"});
}

}  // namespace ba
