// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/canonical_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

// ---- strings -----------------------------------------------------------------------------------

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kShort = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  out += '\\';
  if (const std::size_t at = kShort.find(c); at != std::string_view::npos) {
    out += kLetters[at];
    return;
  }
  out += "u00";
  out += kDigits[static_cast<unsigned char>(c) >> 4];
  out += kDigits[static_cast<unsigned char>(c) & 15];
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    if (plain)
      out += c;
    else
      append_escaped(out, c);
  }
  out += '"';
}

/// Whether `left` comes first by UTF-16 code units. In UTF-8 only U+E000 to U+FFFF (lead bytes EE
/// and EF) and what lies above (F0 and more) stand the other way round.
bool utf16_less(std::string_view left, std::string_view right) {
  const auto [l, r] = std::ranges::mismatch(left, right);
  if (r == right.end()) return false;
  if (l == left.end()) return true;
  const auto a = static_cast<unsigned char>(*l);
  const auto b = static_cast<unsigned char>(*r);
  if (a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0)) return a >= 0xF0;
  return a < b;
}

// ---- numbers -----------------------------------------------------------------------------------

/// Number::toString of ECMA-262, which RFC 8785 (3.2.2.3) asks for: the shortest digits that read
/// back as `number`.
void append_double(std::string& out, double number) {
  BA_ASSERT(std::isfinite(number));
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::scientific);
  BA_ASSERT(end.ec == std::errc());
  append_decimal_text(out, decimal_of({buffer.data(), end.ptr}));
}

/// RFC 8785 has doubles alone; the greatest stands for what is beyond.
double rounded(const Json& number) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(nearest_double(number), -kMost, kMost);
}

// ---- values ------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(WideIntegers wide) : wide_(wide) {}

  /// Recurses; the depth of `value` was bounded when it was parsed.
  void write(const Json& value) {
    if (value.is_object())
      write_object(value);
    else if (value.is_array())
      write_array(value);
    else if (value.is_string())
      append_string(out, value.get_ref<const std::string&>());
    else if (is_any_number(value))
      write_number(value);
    else if (value.is_boolean())
      out += value.get<bool>() ? "true" : "false";
    else
      out += "null";
  }

  std::string out;

 private:
  void write_object(const Json& object) {
    std::vector<std::pair<std::string_view, const Json*>> members;
    for (auto item = object.begin(); item != object.end(); ++item)
      members.emplace_back(item.key(), &*item);
    std::ranges::sort(members, utf16_less, [](const auto& member) { return member.first; });
    char before = '{';
    for (const auto& [name, value] : members) {
      out += before;
      append_string(out, name);
      out += ':';
      write(*value);
      before = ',';
    }
    out += members.empty() ? "{}" : "}";
  }

  void write_array(const Json& array) {
    char before = '[';
    for (const Json& value : array) {
      out += before;
      write(value);
      before = ',';
    }
    out += array.empty() ? "[]" : "]";
  }

  void write_number(const Json& number) {
    if (wide_ == WideIntegers::AsDoubles)
      append_double(out, rounded(number));
    else if (number.is_number_integer())
      out += number.dump();
    else
      append_decimal_text(out, decimal_value(number));
  }

  const WideIntegers wide_;
};

}  // namespace

std::string canonical_json(const Json& value, WideIntegers wide) {
  Writer writer(wide);
  writer.write(value);
  return std::move(writer.out);
}

}  // namespace ba
