// SPDX-License-Identifier: Apache-2.0
// JSONTestSuite against every reader of foreign JSON. What a case's prefix leaves open (i_), and
// where a reader is stricter than RFC 8259 on purpose, stands in the reader's table.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "pipeline/core/tool/schema_check.hpp"
#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/json_view.hpp"

namespace ba {
namespace {

using Cases = std::map<std::string, std::string>;  ///< texts by name

struct JsonReader {
  const char* name;
  std::function<bool(const std::string&)> accepts;  ///< a text that is one JSON value
  std::set<std::string> stricter;                   ///< y_ cases that it refuses on purpose
  std::set<std::string> open;                       ///< i_ cases that it accepts
};

Cases read_cases() {
  Cases cases;
  for (const auto& entry : std::filesystem::directory_iterator("tests/json/data")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    cases[entry.path().stem()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  cases["n_structure_100000_opening_arrays"] = std::string(100'000, '[');
  std::string& pairs = cases["n_structure_open_array_object"];
  for (int i = 0; i < 50'000; ++i) pairs += R"([{"":)";
  pairs += '\n';
  return cases;
}

/// As the value of a name that a job doesn't know, which is read and left out.
bool job_accepts(const std::string& text) {
  const std::string value =
      R"({"tenant":"acme","job_id":"j","messages":["a"],"other":)" + text + "}";
  const Headers headers{{"content-type", "application/json"}};
  const auto decoded = decode_job({std::nullopt, value, headers, {}}, JobContractLimits{});
  return std::holds_alternative<Job>(decoded);
}

bool arguments_accept(const std::string& text) {
  const auto check = SchemaCheck::compile("{}").value();
  return check.check(R"({"other":)" + text + "}", 1024 * 1024).has_value();
}

bool reply_accepts(const std::string& text) { return JsonView::parse(text).has_value(); }

bool stored_accept(const std::string& text) { return is_json(text); }

/// Integers of up to 1000 digits, and numbers that are as good as 0. No reader takes a number
/// beyond 10^1000, half a surrogate pair, bytes that are no UTF-8, or a byte order mark inside.
const std::set<std::string> kOpen = {"i_number_double_huge_neg_exp", "i_number_real_underflow",
                                     "i_number_too_big_neg_int", "i_number_too_big_pos_int",
                                     "i_number_very_big_negative_int"};

/// What was once read is stored, however deep; the other readers stop at 64 levels.
const std::set<std::string> kOpenAndDeep = [] {
  std::set<std::string> names = kOpen;
  names.insert("i_structure_500_nested_arrays");
  return names;
}();

/// A job gives each name once, and its texts can be stored in PostgreSQL, which has no NUL.
const std::set<std::string> kStricterJobs = {
    "y_object_duplicated_key", "y_object_duplicated_key_and_value", "y_object_escaped_null_in_key",
    "y_string_null_escape"};

const std::vector<JsonReader>& readers() {
  static const std::vector<JsonReader> all = {
      {"stored messages", stored_accept, {}, kOpenAndDeep},
      {"jobs", job_accepts, kStricterJobs, kOpen},
      {"tool arguments", arguments_accept, {}, kOpen},
      {"provider replies", reply_accepts, {}, kOpen},
  };
  return all;
}

bool must_accept(const JsonReader& reader, const std::string& name) {
  return name.starts_with("y_") ? !reader.stricter.contains(name) : reader.open.contains(name);
}

TEST(JsonSuite, IsComplete) {
  std::map<char, int> kinds;
  for (const auto& [name, text] : read_cases()) ++kinds[name.front()];
  EXPECT_EQ(kinds, (std::map<char, int>{{'y', 95}, {'n', 188}, {'i', 35}}));
}

TEST(JsonSuite, EveryReaderAnswersEveryCaseAsItMust) {
  for (const auto& [name, text] : read_cases())
    for (const JsonReader& reader : readers())
      EXPECT_EQ(reader.accepts(text), must_accept(reader, name)) << reader.name << ": " << name;
}

/// RFC 8259 (8.1) lets a reader skip it. What is kept byte for byte has none.
TEST(JsonSuite, JobsAndArgumentsMayBeginWithAByteOrderMark) {
  const std::string marked = "\xef\xbb\xbf{}";
  EXPECT_FALSE(stored_accept(marked));
  EXPECT_FALSE(reply_accepts(marked));
  EXPECT_EQ(SchemaCheck::compile("{}").value().check(marked, 1024).value().parameters, "{}");
}

/// To the library below some of the readers, a NUL byte is the end of the text.
TEST(JsonSuite, NothingHidesBehindANulByte) {
  const std::string hidden = std::string("{}") + '\0' + "hidden";
  EXPECT_FALSE(stored_accept(hidden));
  EXPECT_FALSE(reply_accepts(hidden));
  EXPECT_FALSE(SchemaCheck::compile("{}").value().check(hidden, 1024));
  EXPECT_FALSE(SchemaCheck::compile(hidden));
}

}  // namespace
}  // namespace ba
