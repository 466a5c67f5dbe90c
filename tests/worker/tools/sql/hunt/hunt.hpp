#pragma once
// SPDX-License-Identifier: Apache-2.0
// Draws statements, asks the judges, runs what they allow under the observer, and finds out which
// statement it was when something was left behind. One thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/worker/tools/sql/hunt/generator.hpp"
#include "tests/worker/tools/sql/hunt/judge.hpp"
#include "tests/worker/tools/sql/hunt/observer.hpp"

namespace ba::hunt {

struct Counts {
  std::uint64_t generated = 0;
  std::uint64_t accepted = 0;  ///< by the server: it knows what each name means
  std::uint64_t allowed = 0;   ///< of these, by the judge
  std::uint64_t refused = 0;
  std::uint64_t kept = 0;  ///< of the allowed: results that may be kept
  std::vector<std::string> violations;
};

struct HuntOptions {
  std::uint64_t statements = 20000;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  ///< number of the first
  std::size_t violations_max = 20;
  std::function<void(const Counts&)> progress;  ///< now and then; may be empty
  std::function<bool()> enough;                 ///< asked between batches; may be empty
};

class Hunt {
 public:
  /// `stage` outlives it.
  Hunt(const Stage& stage, HuntOptions options);

  Counts run();
  std::uint64_t exhaustive() const { return generator_.exhaustive(); }

 private:
  struct Item {
    std::uint64_t number;
    Drawn drawn;
  };

  std::vector<Item> batch(std::uint64_t first, std::uint64_t end);
  /// What is left behind by them, with what was wrong at once noted in `found`.
  std::string traces_of(const std::vector<Item>& items, bool count);
  void narrow(const std::vector<Item>& items);
  std::vector<Item> not_found_yet(const std::vector<Item>& items) const;
  void judge_and_run(const Item& item, bool count);
  void violation(const Item& item, const std::string& what);
  void renew_judges();
  std::string at_victim(std::string sql);

  HuntOptions options_;
  Session checker_;
  Catalog catalog_;
  std::vector<Target> targets_;
  Generator generator_;
  Observer observer_;
  std::unique_ptr<Judge> reads_;
  std::unique_ptr<Judge> writes_;
  MakeJudge make_reads_;
  MakeJudge make_writes_;
  Counts counts_;
  std::set<std::uint64_t> found_;  ///< numbers of those that are violations
};

}  // namespace ba::hunt
