// SPDX-License-Identifier: Apache-2.0
// command_answer() and command_metrics() of execute_command.hpp.

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/repair_utf8.hpp"
#include "worker/tools/command/execute_command.hpp"

namespace ba::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSignalBase = 128;  ///< of exit codes that tell of a signal
constexpr double kBytesOfMb = 1024.0 * 1024.0;

/// How a command ended: a word for programs, and a note for what isn't plain from it.
struct Ending {
  const char* word;
  std::string note;
};

/// A signal that ended it, or none.
int signal_of(const SandboxOutcome& outcome) {
  const int number = outcome.exit_code - kSignalBase;
  return outcome.end == SandboxEnd::Exited && number > 0 && number < NSIG ? number : 0;
}

Ending killed_by(int signal) {
  const char* name = sigabbrev_np(signal);
  std::string note = "killed by signal " + std::to_string(signal);
  if (name != nullptr) note += " (SIG" + std::string(name) + ")";
  if (signal == SIGXCPU) note += ": it used up its CPU time";
  if (signal == SIGXFSZ) note += ": it wrote a file that is too large";
  return {"signal", std::move(note)};
}

Ending ending_of(const SandboxOutcome& outcome) {
  switch (outcome.end) {
    case SandboxEnd::OutputLimit:
      return {"output_limit", "killed: it wrote more than is taken; the output is cut"};
    case SandboxEnd::MemoryLimit:
      return {"memory_limit", "killed: it took more memory than it may"};
    case SandboxEnd::FilesLimit:
      return {"files_limit", "killed: it made more files than it may"};
    case SandboxEnd::Timeout:
      return {"timeout", "killed at its time-out; this is its output until then"};
    case SandboxEnd::Cancelled:
      return {"cancelled", "killed: nobody waits for it"};
    case SandboxEnd::Exited:
      break;
  }
  if (const int signal = signal_of(outcome); signal != 0) return killed_by(signal);
  return {"exit", {}};
}

}  // namespace

std::string command_answer(SandboxOutcome outcome, Milliseconds waited) {
  const bool repaired =
      static_cast<int>(repair_utf8(outcome.out)) + static_cast<int>(repair_utf8(outcome.err)) > 0;
  const Ending ending = ending_of(outcome);
  Json data;
  data["ended"] = ending.word;
  if (outcome.end == SandboxEnd::Exited) data["exit_code"] = outcome.exit_code;
  if (const int signal = signal_of(outcome); signal != 0) data["signal"] = signal;
  if (!ending.note.empty()) data["note"] = ending.note;
  if (outcome.end == SandboxEnd::OutputLimit) data["truncated"] = true;
  if (repaired) data["not_utf8"] = "bytes that are no text were replaced";
  data["stdout"] = std::move(outcome.out);
  data["stderr"] = std::move(outcome.err);
  data["duration_ms"] = outcome.duration.count();
  data["waited_ms"] = waited.count();
  return dump_exact(data);
}

std::map<std::string, double> command_metrics(const SandboxOutcome& outcome, Milliseconds waited) {
  const auto wall = static_cast<double>(std::max<std::int64_t>(1, outcome.duration.count()));
  const auto cpu = static_cast<double>(outcome.cpu.count());
  return {{"memory_peak_mb", static_cast<double>(outcome.memory_peak_bytes) / kBytesOfMb},
          {"cpu_ms", cpu},
          {"cpu_percent", 100.0 * cpu / wall},
          {"queue_wait_ms", static_cast<double>(waited.count())}};
}

}  // namespace ba::command
