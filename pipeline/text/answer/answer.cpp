// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/answer.hpp"

#include <optional>
#include <set>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/answer/schema_checker.hpp"
#include "pipeline/text/answer/schema_index.hpp"
#include "pipeline/text/message/json_proof.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFence = "```";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_json_word(std::string_view word) {
  if (word.empty()) return true;
  return word.size() == 4 && (word[0] | 0x20) == 'j' && (word[1] | 0x20) == 's' &&
         (word[2] | 0x20) == 'o' && (word[3] | 0x20) == 'n';
}

/// What stands between the fences, where the whole text is one fenced block of JSON.
std::string_view unfenced(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (!text.starts_with(kFence) || !text.ends_with(kFence) || line == text.npos) return text;
  if (!is_json_word(trimmed(text.substr(kFence.size(), line - kFence.size())))) return text;
  if (line + 1 + kFence.size() > text.size()) return text;
  return trimmed(text.substr(line + 1, text.size() - line - 1 - kFence.size()));
}

/// Looks for a name that an object has twice: readers differ in which of the two counts. Not with
/// the library's parser callback, whose time is quadratic in the objects of an array.
class NamesSeen final : public nlohmann::json_sax<Json> {
 public:
  std::optional<std::string> repeated;  ///< the first

  bool key(string_t& name) override {
    if (!open_.back().insert(name).second) repeated = name;
    return !repeated;
  }
  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  std::vector<std::set<std::string>> open_;
};

std::optional<std::string> repeated_name(std::string_view json) {
  NamesSeen names;
  sax_exact<Json>(json, names);
  return std::move(names.repeated);
}

Error not_json(const std::string& problem) {
  return invalid_argument("the answer: it is not one JSON value: " + problem);
}

}  // namespace

std::string compact_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_string && is_json_space(c)) continue;
    out += c;
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
  }
  return out;
}

Result<void> check_answer_schema(std::string_view schema) {
  auto index = SchemaIndex::read(schema);
  if (!index) return index.error();
  return {};
}

Result<std::string> read_answer(std::string_view schema, std::string_view text) {
  const auto index = SchemaIndex::read(schema);
  if (!index) return index.error();
  const std::string_view json = unfenced(trimmed(text));
  if (const auto problem = json_problem(json, kJsonDepthMax)) return not_json(*problem);
  if (const auto name = repeated_name(json))
    return not_json("the name \"" + std::string(utf8_prefix(*name, 80)) + "\" is there twice");
  if (auto violation = schema_violation(**index, parse_exact<Json>(json)))
    return invalid_argument(std::move(*violation));
  return compact_json(json);
}

std::string with_answer_schema(std::string system_prompt, std::string_view schema) {
  if (schema.empty()) return system_prompt;
  if (!system_prompt.empty()) system_prompt += "\n\n";
  system_prompt +=
      "Your final answer to each question must be one JSON value that is valid against this JSON "
      "Schema (draft 7), and nothing else: no text around it. Call tools first where you need "
      "them.\n";
  system_prompt += schema;
  return system_prompt;
}

std::string answer_repair_text(std::string_view violation) {
  return "<system-reminder>\nYour answer does not fit the required JSON Schema: " +
         std::string(violation) +
         "\n\nGive the whole answer again as one JSON value that is valid against the schema, and "
         "nothing else. Keep what was right.\n</system-reminder>";
}

}  // namespace ba
