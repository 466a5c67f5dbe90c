// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/campaign.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "pipeline/base/assert.hpp"

namespace ba::sim {
namespace {

constexpr std::size_t kFailuresMax = 8;
constexpr std::size_t kTextMax = 400;

/// What a child tells its parent: in shared memory, so that it is there even if the child dies.
struct Report {
  std::uint64_t seed = 0;  ///< being run
  std::int64_t histories = 0;
  std::int64_t tasks = 0;
  MarkCounts marks{};
  std::atomic<std::size_t> failures = 0;  ///< its siblings look at it, too
  std::uint64_t failed_seed[kFailuresMax]{};
  char text[kFailuresMax][kTextMax]{};

  void fail(std::uint64_t at, const std::string& violation) {
    failed_seed[failures] = at;
    std::strncpy(text[failures], violation.c_str(), kTextMax - 1);
    ++failures;
  }
};

class SharedReport {
 public:
  SharedReport()
      : memory_(::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                       -1, 0)) {
    BA_ASSERT(memory_ != MAP_FAILED);
    new (memory_) Report();
  }
  ~SharedReport() { ::munmap(memory_, sizeof(Report)); }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;
  Report& operator*() const { return *static_cast<Report*>(memory_); }
  Report* operator->() const { return static_cast<Report*>(memory_); }

 private:
  void* memory_;
};

/// Runs `work` in a child; false when the child died.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(::fork()) {
    BA_ASSERT(pid_ >= 0);
    if (pid_ > 0) return;
    work();
    std::fflush(stdout);
    ::_exit(0);
  }

  bool wait() const {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_;
};

/// Has another child found what this one looks for, before this seed?
bool found_before(const std::vector<SharedReport>& reports, std::uint64_t seed) {
  return std::any_of(reports.begin(), reports.end(), [seed](const SharedReport& other) {
    return other->failures > 0 && other->failed_seed[0] < seed;
  });
}

void run_share(const CampaignOptions& options, int share,
               const std::vector<SharedReport>& reports) {
  Report& report = *reports[static_cast<std::size_t>(share)];
  ToolBox tools(options.mutant);
  HistoryOptions history;
  history.mutant = options.mutant;
  const auto failures_max =
      std::min(kFailuresMax - 1, static_cast<std::size_t>(options.failures_max));
  for (std::int64_t i = share; i < options.histories; i += options.processes) {
    history.seed = report.seed = options.first_seed + static_cast<std::uint64_t>(i);
    if (failures_max == 1 && found_before(reports, history.seed)) return;
    const Verdict verdict = run_history(history, tools);
    ++report.histories;
    report.tasks += verdict.tasks;
    for (std::size_t mark = 0; mark < kMarks; ++mark) report.marks[mark] += verdict.marks[mark];
    if (verdict.violation.empty()) continue;
    report.fail(history.seed, verdict.violation);
    if (report.failures >= failures_max) return;
  }
}

void add(CampaignResult& sum, const Report& report) {
  sum.histories += report.histories;
  sum.tasks += report.tasks;
  for (std::size_t mark = 0; mark < kMarks; ++mark) sum.marks[mark] += report.marks[mark];
  for (std::size_t i = 0; i < report.failures; ++i)
    sum.failures.push_back({report.failed_seed[i], report.text[i]});
}

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options) {
  std::vector<SharedReport> reports(static_cast<std::size_t>(options.processes));
  std::vector<Child> children;
  std::fflush(stdout);
  for (int share = 0; share < options.processes; ++share)
    children.emplace_back([&, share] { run_share(options, share, reports); });
  CampaignResult result;
  for (std::size_t share = 0; share < children.size(); ++share) {
    Report& report = *reports[share];
    const bool crashed = !children[share].wait();
    add(result, report);
    if (crashed) result.failures.push_back({report.seed, std::string(kCrashed), true});
  }
  return result;
}

std::string violation_of(const HistoryOptions& options) {
  const SharedReport report;
  std::fflush(stdout);
  const Child child([&] {
    ToolBox tools(options.mutant);
    const Verdict verdict = run_history(options, tools);
    if (!verdict.violation.empty()) report->fail(options.seed, verdict.violation);
  });
  if (!child.wait()) return std::string(kCrashed);
  return report->failures == 0 ? "" : report->text[0];
}

}  // namespace ba::sim
