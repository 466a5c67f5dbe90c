#pragma once
// SPDX-License-Identifier: Apache-2.0
// Decides the reply to a checked request: from the script, or, for questions that begin with
// "bench ", from the built-in load conversation. What it decides is a function of the request
// alone, so a repeated request gets the same reply; only faults with `times` count. One thread.

#include <chrono>
#include <string>
#include <unordered_map>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/reply.hpp"
#include "tests/scripted_model/request.hpp"
#include "tests/scripted_model/script.hpp"

namespace ba::scripted {

/// The load conversation: `steps` rounds of one tool call, then an answer that names the last
/// observation.
struct BenchOptions {
  int steps = 1;
  std::string tool = "query_database";
  std::string arguments = R"({"sql":"SELECT 1 AS n"})";
};

struct Play {
  std::string question;  ///< the last human text: the key of all counting
  std::size_t step = 0;  ///< assistant messages after it
  Reply reply;
  const Fault* fault = nullptr;
  std::chrono::milliseconds delay{0};
  std::chrono::milliseconds event_delay{0};
};

class Player {
 public:
  Player(Script script, BenchOptions bench)
      : script_(std::move(script)), bench_(std::move(bench)) {}

  /// Fills `play`, or refuses a request that dropped a thinking block the script had sent.
  Refusal play(const Request& request, Play& play);
  void reset_faults() { fault_requests_.clear(); }

 private:
  void play_bench(const Request& request, Play& play) const;
  Refusal play_entry(const ScriptEntry& entry, const Request& request,
                     std::vector<std::string> groups, Play& play);
  const Fault* next_fault(const ScriptStep& step, const Play& play);

  Script script_;
  BenchOptions bench_;
  std::unordered_map<std::string, int> fault_requests_;
};

}  // namespace ba::scripted
