#pragma once
// SPDX-License-Identifier: Apache-2.0
// A script: which question is answered how, step by step. The file format is in the README.
// Immutable after loading.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "tests/scripted_model/template.hpp"

namespace re2 {
class RE2;
}

namespace ba::scripted {

/// Something that goes wrong on purpose with an answer.
struct Fault {
  int times = 0;   ///< for so many requests of the same question and step; 0: always
  int status = 0;  ///< an error status instead of the answer; such a request is not paid
  std::vector<std::pair<std::string, std::string>> headers;
  std::string error_type;  ///< of the error body; empty: the one that goes with the status
  std::string error_code;
  std::optional<std::string> body;               ///< instead of the error body
  bool hang = false;                             ///< never answer
  bool close = false;                            ///< close the connection without an answer
  std::optional<std::size_t> cut_after_bytes;    ///< of the body, then close
  std::optional<std::size_t> stall_after_bytes;  ///< of the body, then nothing more
  std::size_t chunk_bytes = 0;                   ///< send in chunks of this size, events or not
  std::chrono::milliseconds chunk_delay{0};
  std::string stream_error;  ///< an error event of this type half-way through a stream
};

struct ScriptCall {
  std::string name;
  std::string arguments = "{}";    ///< JSON text; its strings may be templates
  bool templates = false;          ///< they are
  std::optional<std::string> raw;  ///< sent instead, JSON or not
  std::string id;                  ///< empty: made from question and position
};

struct ScriptUsage {
  std::optional<std::int64_t> input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
      thinking_tokens;
};

struct ScriptStep {
  std::vector<std::pair<std::string, Template>> variables;
  std::vector<Template> required;  ///< each must have a value, else `otherwise`
  Template text;
  std::optional<Template> thinking;
  std::vector<ScriptCall> calls;
  bool duplicate_ids = false;
  std::string stop;  ///< empty: tool_use or end_turn
  std::string otherwise = "I don't know: what I would need is not in this conversation.";
  std::chrono::milliseconds delay{0};
  std::chrono::milliseconds event_delay{0};  ///< between the events of a stream
  ScriptUsage usage;
  std::vector<Fault> faults;
};

struct ScriptEntry {
  enum class Match { Exact, Prefix, Regex };
  Match match = Match::Exact;
  std::string when;
  std::unique_ptr<re2::RE2> regex;
  std::vector<ScriptStep> then;
  bool repeat_last = false;  ///< steps after the last are like it

  ScriptEntry();
  ScriptEntry(ScriptEntry&&) noexcept;
  ~ScriptEntry();
};

class Script {
 public:
  Script();
  Script(Script&&) noexcept;
  ~Script();

  /// Adds the entries of a YAML or JSON text; `name` stands in errors.
  Result<void> add(const std::string& text, const std::string& name);
  Result<void> add_file(const std::string& path);

  /// The first entry that matches, in the order they were added, with the groups of its regex.
  const ScriptEntry* find(const std::string& question, std::vector<std::string>& groups) const;
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::unique_ptr<ScriptEntry>> entries_;
  std::unordered_map<std::string, std::size_t> exact_;  ///< first entry for each exact text
};

}  // namespace ba::scripted
