#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a hostile model asks for: known ways out of what is allowed, put together and disguised at
// random. The same seed gives the same attempts.

#include <random>
#include <string>
#include <vector>

namespace ba {

/// One call as a model would send it.
struct Attempt {
  std::string tool;
  std::string args;  ///< mostly JSON
};

/// What it has overheard: names that it must not use.
struct Overheard {
  std::vector<std::string> artifacts;  ///< of other tenants and conversations
  std::string outside;                 ///< absolute path of a file that is none of its business
  std::string outside_name;            ///< relative to the roots, by way of ".."
};

class Attempts {
 public:
  Attempts(std::uint64_t seed, Overheard overheard)
      : random_(seed), overheard_(std::move(overheard)) {}

  Attempt next();

 private:
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename List>
  std::string any(const List& list) {
    return std::string(list[below(std::size(list))]);
  }

  std::string sql();
  std::string disguised(std::string sql);
  std::string write_sql();
  std::string path();
  std::string artifact();
  Attempt reading();
  Attempt writing_file();
  Attempt command();
  Attempt stranger();
  Attempt sub_agent();
  Attempt oversize();
  std::string spoiled(std::string args);

  std::mt19937_64 random_;
  const Overheard overheard_;
};

}  // namespace ba
