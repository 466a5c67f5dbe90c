// SPDX-License-Identifier: Apache-2.0
#include "pipeline/semantic/canonical_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTwoTo53 = 9007199254740992.0;
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

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

/// The shortest digits that read back as `number`, and the place of the decimal point behind the
/// first of them: 0.00125 is "125" and -2.
struct Digits {
  std::string text;
  int point = 0;
};

Digits shortest(double number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::scientific);
  BA_ASSERT(end.ec == std::errc());
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  Digits digits;
  for (const char c : text.substr(0, e))
    if (c != '.') digits.text += c;
  const std::string_view exponent = text.substr(e + 1);
  std::from_chars(exponent.data() + (exponent[0] == '+' ? 1 : 0), exponent.data() + exponent.size(),
                  digits.point);
  return digits;
}

/// Number::toString of ECMA-262, which RFC 8785 (3.2.2.3) asks for.
void append_double(std::string& out, double number) {
  BA_ASSERT(std::isfinite(number));
  if (number == 0) {
    out += '0';
    return;
  }
  if (number < 0) out += '-';
  const Digits digits = shortest(std::fabs(number));
  const int count = static_cast<int>(digits.text.size());
  const int before = digits.point + 1;  // digits before the decimal point
  if (before > 21 || before <= -6) {
    out += digits.text[0];
    if (count > 1) out += "." + digits.text.substr(1);
    out += std::string("e") + (digits.point < 0 ? "" : "+") + std::to_string(digits.point);
  } else if (before <= 0) {
    out += "0." + std::string(static_cast<std::size_t>(-before), '0') + digits.text;
  } else if (before >= count) {
    out += digits.text + std::string(static_cast<std::size_t>(before - count), '0');
  } else {
    out += digits.text.substr(0, static_cast<std::size_t>(before)) + "." +
           digits.text.substr(static_cast<std::size_t>(before));
  }
}

/// A whole double with the digits that an integer of its value has, where one of 64 bits has it.
bool append_as_integer(std::string& out, double number) {
  if (std::nearbyint(number) != number || std::fabs(number) <= kTwoTo53) return false;
  if (number > 0 && number < kTwoTo64)
    out += std::to_string(static_cast<std::uint64_t>(number));
  else if (number < 0 && number >= -kTwoTo63)
    out += std::to_string(static_cast<std::int64_t>(number));
  else
    return false;
  return true;
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
    else if (value.is_number())
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
    const bool exact = wide_ == WideIntegers::Exact;
    if (exact && number.is_number_unsigned())
      out += std::to_string(number.get<std::uint64_t>());
    else if (exact && number.is_number_integer())
      out += std::to_string(number.get<std::int64_t>());
    else if (!exact || !append_as_integer(out, number.get<double>()))
      append_double(out, number.get<double>());
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
