#pragma once
// SPDX-License-Identifier: Apache-2.0
// The worker's own way from a provider's reply to the next request: driver, state machine and
// protocols, over a ledger in memory, virtual time, tools that give what is asked for, and a model
// at the other end of a pipe. Jobs run one after the other; a process can die at each request. One
// thread.

#include <functional>
#include <memory>
#include <string>

#include "tests/strict_model/piped_http.hpp"
#include "tests/support/fake_ledger.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/quarter_meter.hpp"
#include "worker/driver/engine.hpp"
#include "worker/driver/silent_observer.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/tool_fits.hpp"

namespace ba {

/// How one conversation is kept small.
struct HistoryRules {
  CompressionMode mode = CompressionMode::Extract;
  int reminder_steps = 2;
  std::string summary_model;  ///< empty: none is asked
};

/// What became of a job, or of a request by itself.
struct HistoryEnded {
  std::string outcome;
  std::string code;
  std::string message;
  std::string answer;
};

class HistoryWorld {
 public:
  /// `ask` answers a request; a status of 0: the process dies before it hears an answer.
  HistoryWorld(const llm::LlmConfig& config, const HistoryRules& rules, PipedHttp::Ask ask);
  ~HistoryWorld();
  HistoryWorld(const HistoryWorld&) = delete;
  HistoryWorld& operator=(const HistoryWorld&) = delete;

  /// Runs the job to its end, in as many lives as it takes.
  HistoryEnded run(Job job);

  /// Asks for one reply to a history that was kept elsewhere.
  HistoryEnded ask(const std::string& model, const std::string& agent,
                   const std::vector<Message>& history);

 private:
  struct Life;

  driver::AgentDirectory make_agents();
  void begin_life();
  void end_life();
  IntakeRecord record_of(const RawRecord& record);

  const llm::LlmConfig config_;
  VirtualExecutor time_;
  FakeLedger ledger_{time_, time_, 1};
  FixedRandom random_;
  QuarterMeter meter_;
  ToolRegistry registry_;
  ToolRuntime tools_{registry_, ToolRuntimeConfig{}, time_, time_, random_};
  driver::AgentDirectory agents_ = make_agents();
  Publication publication_;
  driver::SilentObserver observer_;
  CompressionRules compression_;
  llm::ToolFits offers_{config_};
  bool died_ = false;
  PipedHttp http_;
  std::unique_ptr<Life> life_;
  Job next_job_;  ///< of the record that is taken in next
  std::int64_t offset_ = 0;
};

}  // namespace ba
