// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/hunt.hpp"

#include <algorithm>
#include <exception>
#include <regex>
#include <set>
#include <utility>

namespace ba::hunt {
namespace {

constexpr std::uint64_t kBatch = 500;

/// The results of these change from call to call, which is all that they do.
bool must_not_be_kept(const std::string& sql) {
  static const std::regex kChanging(
      R"(\b(pg_catalog\.)?(random|gen_random_uuid|clock_timestamp|now|statement_timestamp|transaction_timestamp)\(\))");
  return std::regex_search(sql, kChanging);
}

/// Volatile functions that may run.
const std::set<std::string>& harmless() {
  static const std::set<std::string> kHarmless{"random", "random_normal", "gen_random_uuid",
                                               "clock_timestamp", "timeofday"};
  return kHarmless;
}

}  // namespace

Hunt::Hunt(const Stage& stage, HuntOptions options)
    : options_(std::move(options)),
      checker_(stage.admin(Stage::kAttacks)),
      catalog_(checker_),
      targets_(targets_of(checker_, stage.rules(Stage::kAttacks).tables)),
      generator_(catalog_, targets_, options_.seed),
      observer_(stage, Stage::kAttacks),
      make_reads_(stage.reads(Stage::kAttacks)),
      make_writes_(stage.writes(Stage::kAttacks)) {
  checker_.need("SET statement_timeout = 3000");
}

/// Those that the server accepts. An analysis may run something; that is over before one looks.
std::vector<Hunt::Item> Hunt::batch(std::uint64_t first, std::uint64_t end) {
  std::vector<Item> items;
  for (std::uint64_t number = first; number < end; ++number) {
    Item item{number, generator_.draw(number)};
    ++counts_.generated;
    if (!checker_.prepare(at_victim(item.drawn.sql)).ok()) {
      if (!checker_.alive()) checker_.reconnect();
      continue;
    }
    ++counts_.accepted;
    items.push_back(std::move(item));
  }
  checker_.script("SELECT pg_advisory_unlock_all()");
  checker_.script("SELECT pg_stat_force_next_flush()");
  checker_.script("SELECT 1");
  return items;
}

/// A process id is drawn by a name, so that the statement stays the same.
std::string Hunt::at_victim(std::string sql) {
  const std::string name = "$VICTIM";
  for (std::size_t at; (at = sql.find(name)) != std::string::npos;)
    sql.replace(at, name.size(), std::to_string(observer_.victim()));
  return sql;
}

void Hunt::renew_judges() {
  reads_.reset();
  writes_.reset();
}

void Hunt::violation(const Item& item, const std::string& what) {
  found_.insert(item.number);
  if (counts_.violations.size() >= options_.violations_max) return;
  counts_.violations.push_back("seed " + std::to_string(options_.seed) + ", statement " +
                               std::to_string(item.number) + ": " + item.drawn.sql + "\n    " +
                               what);
}

void Hunt::judge_and_run(const Item& item, bool count) {
  std::unique_ptr<Judge>& judge = item.drawn.writes ? writes_ : reads_;
  const std::string sql = at_victim(item.drawn.sql);
  Verdict verdict;
  try {
    if (!judge) judge = (item.drawn.writes ? make_writes_ : make_reads_)();
    verdict = judge->judge(sql);
  } catch (const std::exception& failure) {
    judge.reset();
    verdict.reason = failure.what();
  }
  if (count) ++(verdict.allowed ? counts_.allowed : counts_.refused);
  if (!verdict.allowed) return;
  if (count) counts_.kept += verdict.may_be_kept;
  const auto wrong = observer_.run(sql, item.drawn.writes);
  if (!count) return;
  if (wrong) violation(item, *wrong);
  const std::string& changing = item.drawn.changing;
  if (!changing.empty() && !harmless().contains(changing))
    violation(item, changing + "() is volatile, and nothing says that it is harmless");
  if (verdict.may_be_kept && (!changing.empty() || must_not_be_kept(sql)))
    violation(item, "its result may be kept, and it changes from call to call");
}

std::string Hunt::traces_of(const std::vector<Item>& items, bool count) {
  Observer::Traces before = observer_.look();
  for (const Item& item : items) judge_and_run(item, count);
  Observer::Traces after = observer_.look();  // while sessions still have their locks
  const std::string locks = after["locks"];
  renew_judges();
  const std::string sessions = observer_.renew();
  after = observer_.look();
  after["locks"] = locks;
  std::string different = Observer::difference(before, after);
  if (!sessions.empty()) different += (different.empty() ? "" : "; ") + sessions;
  return different;
}

void Hunt::narrow(const std::vector<Item>& items) {
  if (items.empty() || counts_.violations.size() >= options_.violations_max) return;
  const std::string different = traces_of(items, false);
  if (different.empty()) return;
  if (items.size() == 1) return violation(items.front(), different);
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  narrow({items.begin(), middle});
  narrow({middle, items.end()});
}

std::vector<Hunt::Item> Hunt::not_found_yet(const std::vector<Item>& items) const {
  std::vector<Item> others;
  for (const Item& item : items)
    if (!found_.contains(item.number)) others.push_back(item);
  return others;
}

Counts Hunt::run() {
  const std::uint64_t end = options_.first + options_.statements;
  for (std::uint64_t first = options_.first; first < end; first += kBatch) {
    const std::vector<Item> items = batch(first, std::min(end, first + kBatch));
    const std::size_t known = counts_.violations.size();
    const std::string different = traces_of(items, true);
    if (!different.empty()) narrow(not_found_yet(items));
    if (!different.empty() && counts_.violations.size() == known)
      counts_.violations.push_back("seed " + std::to_string(options_.seed) + ", statements from " +
                                   std::to_string(first) + " on, none of them alone: " + different);
    if (options_.progress) options_.progress(counts_);
    if (counts_.violations.size() >= options_.violations_max) break;
    if (options_.enough && options_.enough()) break;
  }
  return counts_;
}

}  // namespace ba::hunt
