// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace ba::sim {
namespace {

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename Value>
std::optional<Value> named(std::string_view name, int count) {
  for (int i = 0; i < count; ++i)
    if (to_string(static_cast<Value>(i)) == name) return static_cast<Value>(i);
  return std::nullopt;
}

class Parser {
 public:
  Parser(int argc, char** argv) : arguments_(argv + 1, argv + argc) {}

  std::optional<Options> parse() {
    for (at_ = 0; at_ < arguments_.size() && good_; ++at_) take(arguments_[at_]);
    if (!good_) return std::nullopt;
    if (single_) {
      history_.mutant = options_.campaign.mutant;
      options_.one = history_;
    }
    return options_;
  }

 private:
  void take(std::string_view name) {
    if (name == "--trace") {
      history_.print = true;
    } else if (name == "--twice") {
      options_.twice = true;
    } else if (name == "--mutants") {
      options_.mutants = true;
    } else if (name == "--gentle") {
      options_.gentle_is_failure = false;
    } else if (at_ + 1 == arguments_.size()) {
      refuse(name, "is unknown or needs a value");
    } else {
      take(name, arguments_[++at_]);
    }
  }

  void take(std::string_view name, std::string_view value) {
    if (name == "--seed") {
      single_ = true;
      set(name, value, history_.seed);
    } else if (name == "--histories") {
      set(name, value, options_.campaign.histories);
    } else if (name == "--from") {
      set(name, value, options_.campaign.first_seed);
    } else if (name == "--jobs") {
      set(name, value, options_.campaign.processes);
    } else if (name == "--mutant-histories") {
      set(name, value, options_.mutant_histories);
    } else if (name == "--mutant-seeds") {
      keep_seeds(std::string(value));
    } else if (name == "--jobs-max") {
      set(name, value, history_.reduction.jobs_max);
    } else if (name == "--workers-max") {
      set(name, value, history_.reduction.workers_max);
    } else if (name == "--disturbances-max") {
      set(name, value, history_.reduction.disturbances_max);
    } else if (name == "--without") {
      leave_out(value);
    } else if (name == "--mutant") {
      const auto mutant = named<Mutant>(value, static_cast<int>(all_mutants().size()) + 1);
      if (!mutant) return refuse(value, "is no protection");
      options_.campaign.mutant = *mutant;
    } else {
      refuse(name, "is unknown");
    }
  }

  template <typename T>
  void set(std::string_view name, std::string_view value, T& into) {
    const auto parsed = number<T>(value);
    if (!parsed || *parsed < T{0}) return refuse(name, "needs a number");
    into = *parsed;
  }

  void keep_seeds(const std::string& path) {
    auto seeds = read_kept_seeds(path);
    if (!seeds) return refuse(path, "has no seeds");
    for (const auto& [name, seed] : *seeds)
      if (!named<Mutant>(name, static_cast<int>(all_mutants().size()) + 1))
        return refuse(name, "is no protection");
    options_.kept_seeds = *std::move(seeds);
  }

  void leave_out(std::string_view names) {
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(','));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      const auto fault = named<Fault>(name, static_cast<int>(kFaults));
      if (!fault) return refuse(name, "is no kind of fault");
      history_.reduction.without.push_back(*fault);
    }
  }

  void refuse(std::string_view what, const char* why) {
    std::fprintf(stderr, "%.*s %s\n%s", static_cast<int>(what.size()), what.data(), why, usage());
    good_ = false;
  }

  std::vector<std::string_view> arguments_;
  std::size_t at_ = 0;
  Options options_;
  HistoryOptions history_;
  bool single_ = false;
  bool good_ = true;
};

}  // namespace

const char* usage() {
  return "usage: ops/simulate [--histories N] [--from SEED] [--jobs N] [--gentle]\n"
         "                    [--mutants [--mutant-histories N] [--mutant-seeds FILE]]\n"
         "       ops/simulate --seed N [--trace] [--twice] [--without FAULT,…] [--jobs-max N]\n"
         "                    [--workers-max N] [--disturbances-max N]\n"
         "Either takes --mutant NAME: that protection is left out.\n";
}

std::optional<Options> parse_options(int argc, char** argv) { return Parser(argc, argv).parse(); }

}  // namespace ba::sim
