// SPDX-License-Identifier: Apache-2.0
// Runs histories and says what broke, what was never reached, and which protection could be left
// out unnoticed. The last line is "N passed, N failed".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <tuple>

#include "tests/simulation/options.hpp"

namespace ba::sim {
namespace {

struct Score {
  int passed = 0;
  int failed = 0;

  void count(bool good) { ++(good ? passed : failed); }
};

void explain(const Failure& failure, Mutant mutant) {
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(failure.seed),
              failure.violation.c_str());
  HistoryOptions history;
  history.seed = failure.seed;
  history.mutant = mutant;
  history.reduction = shrink(history);
  std::printf("  %s\n  in the smaller world: %s\n", replay_command(history).c_str(),
              violation_of(history).c_str());
}

void run_histories(const Options& options, Score& score) {
  const auto began = std::chrono::steady_clock::now();
  const CampaignResult result = run_campaign(options.campaign);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%lld histories, %lld tasks, %.1f s; %zu broke an invariant\n",
              static_cast<long long>(result.histories), static_cast<long long>(result.tasks),
              took.count(), result.failures.size());
  for (std::size_t i = 0; i < result.failures.size(); ++i) {
    if (i < 2)
      explain(result.failures[i], options.campaign.mutant);
    else
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(result.failures[i].seed),
                  result.failures[i].violation.c_str());
  }
  score.count(result.failures.empty());
  for (std::size_t i = 0; i < kMarks; ++i) {
    const std::string_view name = to_string(static_cast<Mark>(i));
    std::printf("  %-26.*s %10lld\n", static_cast<int>(name.size()), name.data(),
                static_cast<long long>(result.marks[i]));
    if (result.marks[i] == 0) std::printf("  never reached: the histories were too gentle\n");
    if (options.gentle_is_failure) score.count(result.marks[i] > 0);
  }
}

/// Does the seed that is kept of it show it? A crash says nothing about the checker.
bool shown_by_kept_seed(Mutant mutant, const KeptSeeds& seeds) {
  const std::string_view name = to_string(mutant);
  const auto kept = seeds.find(name);
  if (kept == seeds.end()) return false;
  HistoryOptions history;
  history.mutant = mutant;
  history.seed = kept->second;
  const std::string violation = violation_of(history);
  const bool shown = !violation.empty() && violation != kCrashed;
  std::printf("  %-28.*s %s its seed, %llu: %s\n", static_cast<int>(name.size()), name.data(),
              shown ? "caught with" : "not caught any more with",
              static_cast<unsigned long long>(history.seed), violation.c_str());
  return shown;
}

void run_mutant(Mutant mutant, const Options& options, Score& score) {
  if (shown_by_kept_seed(mutant, options.kept_seeds)) return score.count(true);
  CampaignOptions campaign = options.campaign;
  campaign.mutant = mutant;
  campaign.histories = options.mutant_histories;
  campaign.failures_max = 1;
  const CampaignResult result = run_campaign(campaign);
  const std::string_view name = to_string(mutant);
  const auto caught_first = [](const Failure& a, const Failure& b) {
    return std::tie(a.crashed, a.seed) < std::tie(b.crashed, b.seed);
  };
  const auto found = std::min_element(result.failures.begin(), result.failures.end(), caught_first);
  const bool caught = found != result.failures.end() && !found->crashed;
  score.count(caught);
  if (!caught) {
    std::printf("  %-28.*s SURVIVED %lld histories%s\n", static_cast<int>(name.size()), name.data(),
                static_cast<long long>(result.histories),
                result.failures.empty() ? "" : ", crashed");
    return;
  }
  const Failure& first = *found;
  std::printf("  %-28.*s caught in %6lld histories, seed %llu: %s\n", static_cast<int>(name.size()),
              name.data(), static_cast<long long>(result.histories),
              static_cast<unsigned long long>(first.seed), first.violation.c_str());
}

int run_one(const HistoryOptions& history, bool twice) {
  ToolBox tools(history.mutant);
  const Verdict verdict = run_history(history, tools);
  std::printf("trace %016llx, %lld tasks: %s\n",
              static_cast<unsigned long long>(verdict.trace_hash),
              static_cast<long long>(verdict.tasks),
              verdict.violation.empty() ? "every invariant held" : verdict.violation.c_str());
  if (twice && run_history(history, tools).trace_hash != verdict.trace_hash) {
    std::printf("the second time it went another way\n");
    return 1;
  }
  return verdict.violation.empty() ? 0 : 1;
}

int run(const Options& options) {
  if (options.one) return run_one(*options.one, options.twice);
  Score score;
  run_histories(options, score);
  if (options.mutants) {
    std::printf("protections left out:\n");
    for (const Mutant mutant : all_mutants()) run_mutant(mutant, options, score);
  }
  std::printf("%d passed, %d failed\n", score.passed, score.failed);
  return score.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ba::sim

int main(int argc, char** argv) {
  const auto options = ba::sim::parse_options(argc, argv);
  if (!options) return 2;
  return ba::sim::run(*options);
}
