#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a hostile model asks for: known ways out of what is allowed, put together and disguised at
// random. The same seed gives the same attempts.

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

enum class AttemptKind {
  Query,
  Write,
  Read,
  WriteFile,
  Command,
  SubAgent,
  Stranger,  ///< a tool that isn't there
  Oversize,
  Unlisted,    ///< of an agent whose list of tools leaves it out; else nothing is wrong with it
  KeptResult,  ///< means what others asked before, whose results are kept
  VectorSearch,
  WebSearch,
  Skill,
  Letter,  ///< reads what tells it to do more
  Obeyed,  ///< does what it read
};

std::string_view to_string(AttemptKind kind);

/// One call as a model would send it.
struct Attempt {
  AttemptKind kind = AttemptKind::Query;
  std::string tool;
  std::string args;  ///< mostly JSON
};

/// What it has overheard: names that it must not use.
struct Overheard {
  std::vector<std::string> artifacts;  ///< of other tenants and conversations
  std::string outside;                 ///< absolute path of a file that is none of its business
  std::string outside_name;            ///< relative to the roots, by way of ".."
  std::string own_letter;              ///< an artifact of its own
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
  Attempt unlisted();
  Attempt kept_result();
  Attempt vector_search();
  Attempt web_search();
  Attempt skill();
  Attempt letter();
  Attempt of_kind(AttemptKind kind);
  std::string disguised_json(const std::string& args);
  std::string spoiled(std::string args);

  std::mt19937_64 random_;
  const Overheard overheard_;
};

}  // namespace ba
