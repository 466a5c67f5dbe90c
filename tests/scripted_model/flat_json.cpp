// SPDX-License-Identifier: Apache-2.0
// The looking half of json_view.hpp.
#include "tests/scripted_model/flat_json.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>

#include "tests/scripted_model/utf8_cut.hpp"

namespace ba::scripted {

namespace {

unsigned hex4(const char* at) {
  unsigned value = 0;
  std::from_chars(at, at + 4, value, 16);
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    default:
      return c;  // " \ /
  }
}

void append_unescaped(std::string& out, std::string_view raw) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    ++i;
    if (raw[i] != 'u') {
      out += simple_escape(raw[i]);
      continue;
    }
    unsigned code = hex4(raw.data() + i + 1);
    i += 4;
    if (code >= 0xD800 && code < 0xDC00) {  // the reader has seen to it that its pair follows
      code = 0x10000 + ((code - 0xD800) << 10) + (hex4(raw.data() + i + 3) - 0xDC00);
      i += 6;
    }
    append_utf8(out, code);
  }
}

}  // namespace

JsonKind JsonValue::kind() const { return document_->nodes_[index_].kind; }

bool JsonValue::is_integer() const {
  return is(JsonKind::Number) && raw().find_first_of(".eE") == std::string_view::npos;
}

std::string_view JsonValue::raw() const {
  const auto& node = document_->nodes_[index_];
  return document_->text_.substr(node.begin, node.end - node.begin);
}

std::uint32_t JsonValue::size() const { return document_->nodes_[index_].count; }

void JsonValue::append_text(std::string& out) const {
  const std::string_view inner = raw().substr(1, raw().size() - 2);
  if (document_->nodes_[index_].escaped) {
    append_unescaped(out, inner);
  } else {
    out += inner;
  }
}

std::string JsonValue::text() const {
  std::string out;
  if (is(JsonKind::String)) append_text(out);
  return out;
}

bool JsonValue::equals(std::string_view wanted) const {
  if (!is(JsonKind::String)) return false;
  if (document_->nodes_[index_].escaped) return text() == wanted;
  return raw().substr(1, raw().size() - 2) == wanted;
}

std::int64_t JsonValue::integer() const {
  std::int64_t value = 0;
  const std::string_view digits = raw();
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc()) return value;
  return digits.front() == '-' ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
}

double JsonValue::number() const { return std::strtod(std::string(raw()).c_str(), nullptr); }

JsonValue JsonValue::first() const { return {*document_, index_ + 1}; }

JsonValue JsonValue::next() const { return {*document_, document_->nodes_[index_].after}; }

std::string_view JsonValue::raw_key() const {
  const auto& node = document_->nodes_[index_];
  return document_->text_.substr(node.key_begin, node.key_end - node.key_begin);
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!is(JsonKind::Object)) return {};
  JsonValue member = first();
  for (std::uint32_t left = size(); left > 0; --left, member = member.next()) {
    if (member.raw_key() == key) return member;
  }
  return {};
}

}  // namespace ba::scripted
