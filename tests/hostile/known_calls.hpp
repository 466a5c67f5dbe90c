#pragma once
// SPDX-License-Identifier: Apache-2.0
// Calls that everybody makes, so that their results are kept for some before others ask.

#include <string_view>

namespace ba {

struct KnownCall {
  std::string_view tool;
  std::string_view args;
};

inline constexpr KnownCall kKnownCalls[]{
    {"query_database", R"({"sql":"SELECT word FROM words"})"},
    {"query_database", R"({"sql":"SELECT * FROM words ORDER BY word DESC"})"},
    {"query_database", R"({"sql":"SELECT DISTINCT word FROM words"})"},
    {"file_reader", R"({"path":"data.csv"})"},
    {"file_reader", R"({"path":"data.csv","format":"text"})"},
    {"web_search", R"({"query":"quarterly figures"})"},
    {"vector_search", R"({"query":"quarterly figures"})"},
    {"vector_search", R"({"query":"everything","limit":5})"}};

}  // namespace ba
