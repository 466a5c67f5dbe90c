// SPDX-License-Identifier: Apache-2.0
// The long hunt. See ops/hunt, which builds and starts it.
#include <charconv>
#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>

#include "tests/worker/tools/sql/hunt/hunt.hpp"
#include "tests/worker/tools/sql/hunt/stage.hpp"

namespace {

using ba::hunt::Counts;
using ba::hunt::Hunt;
using ba::hunt::HuntOptions;

constexpr auto kProgress = std::chrono::seconds(10);
constexpr std::uint64_t kStatements = 1'000'000;
constexpr std::uint64_t kSecondsMax = 7 * 86400;

int wrong_usage(const std::string& what) {
  std::cerr << what << "\ntry: ops/hunt --help\n";
  return 2;
}

bool number(const char* text, std::uint64_t& value) {
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc{} && at == end;
}

std::string line(const Counts& counts) {
  return std::to_string(counts.generated) + " generated, " + std::to_string(counts.accepted) +
         " accepted by the server, " + std::to_string(counts.allowed) + " allowed (" +
         std::to_string(counts.kept) + " may be kept), " + std::to_string(counts.refused) +
         " refused, " + std::to_string(counts.violations.size()) + " violations";
}

/// A line now and then, and each violation when it is found.
class Progress {
 public:
  void operator()(const Counts& counts) {
    for (; told_ < counts.violations.size(); ++told_)
      std::cout << "violation: " << counts.violations[told_] << "\n" << std::flush;
    if (std::chrono::steady_clock::now() < next_) return;
    std::cout << line(counts) << "\n" << std::flush;
    next_ = std::chrono::steady_clock::now() + kProgress;
  }

 private:
  std::size_t told_ = 0;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kProgress;
};

/// Asked between batches, so the last one is finished.
std::function<bool()> after(std::chrono::seconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  return [end] { return std::chrono::steady_clock::now() >= end; };
}

}  // namespace

int main(int argc, char** argv) {
  HuntOptions options;
  options.statements = kStatements;
  std::uint64_t violations_max = options.violations_max;
  std::uint64_t seconds = 0;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    std::uint64_t* const value = name == "--statements"       ? &options.statements
                                 : name == "--seed"           ? &options.seed
                                 : name == "--from"           ? &options.first
                                 : name == "--violations-max" ? &violations_max
                                 : name == "--seconds"        ? &seconds
                                                              : nullptr;
    if (!value) return wrong_usage("unknown argument " + name);
    if (i + 1 >= argc || !number(argv[i + 1], *value)) return wrong_usage(name + " needs a number");
  }
  if (seconds > kSecondsMax)
    return wrong_usage("--seconds is " + std::to_string(kSecondsMax) + " at most");
  options.violations_max = violations_max;
  options.progress = Progress();
  if (seconds > 0) options.enough = after(std::chrono::seconds(seconds));
  try {
    Hunt hunt(ba::hunt::stage(), options);
    std::cout << "the first " << hunt.exhaustive() << " are all that the catalog has\n";
    const Counts counts = hunt.run();
    std::cout << line(counts) << "\n";
    const bool proves = counts.accepted * 10 > counts.generated * 4;
    if (!proves) std::cout << "too few were accepted by the server for this to prove anything\n";
    return counts.violations.empty() && proves ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return 1;
  }
}
