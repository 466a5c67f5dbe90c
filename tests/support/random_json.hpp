#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON values by chance, of the sort on which encodings break: strings that look like anything,
// names of every kind, numbers at their limits, tables that are almost tables. One thread.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ba {

class RandomJson {
 public:
  explicit RandomJson(std::uint64_t seed) : random_(seed) {}

  nlohmann::ordered_json value(int depth = 4) {
    const std::size_t kind = below(depth > 0 ? 10 : 4);
    if (kind < 4) return primitive();
    if (kind < 6) return array(depth);
    if (kind < 8) return object(depth);
    return kind == 8 ? rows(depth) : entries(depth);
  }

  std::string text() {
    if (below(3) == 0) return kStrange[below(kStrange.size())];
    std::string made;
    for (std::size_t i = below(6); i > 0; --i) made += kPieces[below(kPieces.size())];
    return made;
  }

 private:
  using Json = nlohmann::ordered_json;

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  Json primitive() {
    switch (below(8)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return integer();
      case 3:
        return real();
      default:
        return text();
    }
  }

  Json integer() {
    switch (below(4)) {
      case 0:
        return static_cast<std::int64_t>(below(200)) - 100;
      case 1:
        return static_cast<std::int64_t>(random_());
      case 2:
        return random_();
      default:
        return below(2) == 0 ? Json(std::numeric_limits<std::int64_t>::min())
                             : Json(std::numeric_limits<std::uint64_t>::max());
    }
  }

  /// Of any bits; or of few digits; or at a limit of how numbers are written.
  double real() {
    constexpr std::array<double, 14> kLimits{0.0,    -0.0, 1.0,  1e21,   1e20,    -1e21, 1e-6,
                                             9.9e-7, 1e16, 1e15, 5e-324, 1.7e308, 1e22,  0.1};
    const std::size_t kind = below(3);
    if (kind == 0) return kLimits[below(kLimits.size())];
    if (kind == 1) return (static_cast<double>(below(20001)) - 10000) / 100;
    const std::uint64_t bits = random_();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return std::isfinite(value) ? value : 0.25;
  }

  Json array(int depth) {
    Json made = Json::array();
    for (std::size_t i = below(5); i > 0; --i) made.push_back(value(depth - 1));
    return made;
  }

  Json object(int depth) {
    Json made = Json::object();
    for (std::size_t i = below(5); i > 0; --i) made[text()] = value(depth - 1);
    return made;
  }

  /// Objects of the same names, mostly; their order and their kinds of values vary now and then.
  Json rows(int depth) {
    Json made = Json::array();
    const Json first = row(depth);
    for (std::size_t i = 1 + below(4); i > 0; --i) made.push_back(like(first));
    return made;
  }

  Json entries(int depth) {
    Json made = Json::object();
    const Json first = row(depth);
    for (std::size_t i = 1 + below(4); i > 0; --i) made[text()] = like(first);
    return made;
  }

  Json row(int depth) {
    Json made = Json::object();
    for (std::size_t i = 1 + below(4); i > 0; --i)
      made[text()] = depth > 1 && below(4) == 0 ? row(depth - 1) : primitive();
    return made;
  }

  Json like(const Json& first) {
    Json made = Json::object();
    const bool backwards = below(6) == 0;
    std::vector<std::pair<std::string, Json>> members;
    for (const auto& [name, member] : first.items())
      members.emplace_back(name, member.is_object() ? like(member)
                                 : below(30) == 0   ? value(1)
                                                    : primitive());
    if (backwards) std::reverse(members.begin(), members.end());
    for (auto& [name, member] : members) made[name] = std::move(member);
    if (below(40) == 0) made["more"] = 1;
    return made;
  }

  static inline const std::array<std::string, 64> kStrange{"",
                                                           " ",
                                                           "  ",
                                                           "\n",
                                                           "\t",
                                                           "true",
                                                           "True",
                                                           "NO",
                                                           "y",
                                                           "null",
                                                           "~",
                                                           "Null",
                                                           "0",
                                                           "-0",
                                                           "007",
                                                           "+1",
                                                           "1e5",
                                                           "1.",
                                                           ".5",
                                                           "0x1F",
                                                           "0o7",
                                                           "1_000",
                                                           "12:30:45",
                                                           "2024-01-02",
                                                           "2024-01-02T03:04:05Z",
                                                           ".inf",
                                                           ".nan",
                                                           "-",
                                                           "- a",
                                                           "-1",
                                                           "--- a",
                                                           "...",
                                                           "#",
                                                           "# a",
                                                           "a # b",
                                                           "a: b",
                                                           "a:",
                                                           ":",
                                                           "?",
                                                           "? a",
                                                           "*a",
                                                           "&a",
                                                           "!a",
                                                           "%a",
                                                           "@a",
                                                           "`a",
                                                           "[1]",
                                                           "[]",
                                                           "{}",
                                                           "a, b",
                                                           "a|b",
                                                           "a\tb",
                                                           "<<",
                                                           "=",
                                                           "]]>",
                                                           "<b>&amp;",
                                                           "\"",
                                                           "\\n",
                                                           "a\nb",
                                                           "a\nb\n",
                                                           "\n a\nb",
                                                           " a\n\n b \n\n",
                                                           "item",
                                                           "key"};
  static inline const std::array<std::string, 28> kPieces{
      "a",        "Zx",
      "7",        " ",
      "-",        "_",
      ".",        ":",
      "#",        "\"",
      "\\",       ",",
      "|",        "\t",
      "\n",       "\r",
      "é",        "日本",
      "🎉",        "<",
      "]]>",      "&",
      "'",        "[",
      "}",        std::string("\0", 1),
      "\x01\x7f", "\xC2\x85\xC2\xA0\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBE"};

  std::mt19937_64 random_;
};

}  // namespace ba
