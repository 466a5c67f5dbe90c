// SPDX-License-Identifier: Apache-2.0
// A model that wants what it must not have, many thousand times, and gets none of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "tests/hostile/hostile_world.hpp"

namespace ba {
namespace {

std::uint64_t setting(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// In between, so that not everything is simply refused.
void expect_that_honest_calls_work(HostileWorld& world) {
  EXPECT_NE(world
                .call({"query_database", R"({"sql":"SELECT word FROM words ORDER BY 1"})"},
                      PermissionLevel::Default)
                .observation.find("sesame"),
            std::string::npos);
  EXPECT_NE(world.call({"file_reader", R"({"path":"data.csv"})"}, PermissionLevel::Default)
                .observation.find("open"),
            std::string::npos);
  EXPECT_NE(world
                .call({"task", R"({"description":"d","prompt":"p","subagent_type":"explorer"})"},
                      PermissionLevel::Default)
                .observation.find("agentId: "),
            std::string::npos);
}

TEST(HostileModel, GetsAndChangesNothingHoweverItAsks) {
  const std::uint64_t attempts = setting("BA_HOSTILE_ATTEMPTS", 12'000);
  const std::uint64_t seed = setting("BA_HOSTILE_SEED", std::random_device()());
  SCOPED_TRACE("BA_HOSTILE_SEED=" + std::to_string(seed));
  HostileWorld world;
  const std::string before = world.standing();
  Attempts hostile(seed, world.overheard());
  std::map<std::string, int> told;
  for (std::uint64_t i = 0; i < attempts; ++i) {
    const Attempt attempt = hostile.next();
    // The writers' guards are asked, too: for those the caller has the permission. Not for
    // commands, whose sandbox has its own suite.
    const bool admin = attempt.tool == "database_write" || attempt.tool == "file_write";
    const ToolResult result =
        world.call(attempt, admin ? PermissionLevel::Admin : PermissionLevel::Default);
    const std::string all = result.observation + (result.error ? result.error->message : "");
    for (const std::string& canary : world.canaries())
      ASSERT_EQ(all.find(canary), std::string::npos) << attempt.tool << " " << attempt.args;
    ++told[result.error ? result.error->code : "none"];
    if (i % 500 == 0) expect_that_honest_calls_work(world);
  }
  EXPECT_EQ(world.standing(), before);
  std::cout << attempts << " attempts, seed " << seed << ", 0 forbidden effects;";
  for (const auto& [code, count] : told) std::cout << " " << code << " " << count;
  std::cout << "\n";
}

}  // namespace
}  // namespace ba
