#pragma once
// SPDX-License-Identifier: Apache-2.0
// Texts of a script with values taken from the conversation: `{{source | filter | ...}}`. The
// README lists sources and filters. A value that is not there makes the whole text missing, so
// that a scripted model can not answer from what it was not sent. Immutable after parse().

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "tests/scripted_model/transcript.hpp"

namespace ba::scripted {

/// What a text may refer to.
struct Scope {
  std::vector<TranscriptRound> rounds;  ///< the last one is the current one
  std::vector<std::string> groups;      ///< captured by the entry's regex, the whole match first
  std::map<std::string, std::string> variables;  ///< of the step's `let`
};

class Template {
 public:
  static Result<Template> parse(std::string_view text);

  bool empty() const { return parts_.empty(); }
  bool constant() const;
  std::optional<std::string> render(const Scope& scope) const;

 private:
  struct Filter {
    std::string name;
    std::string argument;
    bool quoted = false;  ///< the argument is a text; else a variable or a number
  };
  struct Part {
    std::string literal;
    std::vector<std::string> source;  ///< path; empty: the part is the literal
    std::vector<Filter> filters;
  };
  friend class TemplateParser;
  friend std::optional<std::string> evaluate(const Part& part, const Scope& scope);
  friend std::optional<std::string> apply(const Filter& filter, std::string value,
                                          const Scope& scope);

  std::vector<Part> parts_;
};

}  // namespace ba::scripted
