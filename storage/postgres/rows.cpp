// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/rows.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace ba::storage {
namespace {

std::string_view text_of(const pqxx::field& field) { return {field.c_str(), field.size()}; }

/// Of a timestamp, in UTC as every session has it: "2026-03-01 12:00:00.123456+00".
std::optional<WallTime> time_of(const char* text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0;
  if (std::sscanf(text, "%d-%u-%u %d:%d:%lf", &year, &month, &day, &hour, &minute, &second) != 6)
    return std::nullopt;
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  const auto micros = static_cast<std::int64_t>(second * 1e6 + 0.5);
  return WallTime(date + std::chrono::hours(hour) + std::chrono::minutes(minute)) +
         Microseconds(micros);
}

constexpr std::string_view kDigits = "0123456789abcdef";

int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return 0;
}

}  // namespace

int ColumnPlaces::find(ColumnName name) {
  for (std::size_t looks = 0; looks < known_.size(); ++looks) {
    const Known& known = known_[next_];
    if (++next_ == known_.size()) next_ = 0;
    if (known.name == name.text) return known.place;
  }
  known_.push_back({name.text, look_for(name)});
  next_ = 0;
  return known_.back().place;
}

int ColumnPlaces::look_for(ColumnName name) const {
  const auto columns = static_cast<int>(result_.columns());
  int found = columns;
  for (int place = 0; place < columns; ++place) {
    if (std::strcmp(column(place), name.text) != 0) continue;
    if (found < columns) fail(name, "stands in its result twice");
    found = place;
  }
  if (found < columns) return found;
  std::string all;
  for (int place = 0; place < columns; ++place)
    all.append(place > 0 ? ", " : "").append(column(place));
  fail(name, "isn't in its result, which has " + all);
}

const char* ColumnPlaces::column(int place) const {
  return result_.column_name(static_cast<pqxx::row_size_type>(place));
}

void ColumnPlaces::fail(ColumnName name, const std::string& what) const {
  throw std::logic_error("statement \"" + std::string(statement_) + "\": column \"" + name.text +
                         "\" " + what);
}

Row::Row(std::shared_ptr<ColumnPlaces> places, std::size_t index)
    : places_(std::move(places)),
      field_(places_->result()[static_cast<pqxx::result::size_type>(index)], 0) {}

const pqxx::field& Row::at(ColumnName name) const {
  field_ += places_->find(name) - static_cast<int>(field_.num());
  return field_;
}

const pqxx::field& Row::at_value(ColumnName name) const {
  const pqxx::field& field = at(name);
  if (field.is_null()) places_->fail(name, "is null, which it may not be");
  return field;
}

std::string_view Row::view(ColumnName name) const { return text_of(at_value(name)); }

std::string Row::text_or_empty(ColumnName name) const { return std::string(text_of(at(name))); }

std::string Row::bytes(ColumnName name) const { return bytes_of_hex(view(name)); }

std::string Row::bytes_or_empty(ColumnName name) const { return bytes_of_hex(text_of(at(name))); }

std::int64_t Row::big(ColumnName name) const {
  const std::string_view text = view(name);
  const char* const end = text.data() + text.size();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    places_->fail(name, "has \"" + std::string(text) + "\", which is no integer of 64 bits");
  return value;
}

std::optional<std::int64_t> Row::optional_big(ColumnName name) const {
  if (is_null(name)) return std::nullopt;
  return big(name);
}

int Row::number(ColumnName name) const {
  const std::int64_t value = big(name);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    places_->fail(name, "has " + std::to_string(value) + ", which is no integer of 32 bits");
  return static_cast<int>(value);
}

bool Row::flag(ColumnName name) const {
  const std::string_view text = view(name);
  if (text != "t" && text != "f")
    places_->fail(name, "has \"" + std::string(text) + "\", which is neither true nor false");
  return text == "t";
}

WallTime Row::time(ColumnName name) const {
  const std::string_view text = view(name);
  const auto time = time_of(text.data());
  if (!time) places_->fail(name, "has \"" + std::string(text) + "\", which is no time");
  return *time;
}

std::optional<WallTime> Row::optional_time(ColumnName name) const {
  if (is_null(name)) return std::nullopt;
  return time(name);
}

WallTime Row::micros(ColumnName name) const { return WallTime(Microseconds(big(name))); }

Row Rows::first() const {
  if (empty())
    throw std::logic_error("statement \"" + std::string(places_->statement()) +
                           "\" answered no row");
  return (*this)[0];
}

std::string hex_of_bytes(std::string_view bytes) {
  std::string text = "\\x";
  text.reserve(2 * bytes.size() + 2);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  if (!text.starts_with("\\x")) return bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(value_of(text[i]) * 16 + value_of(text[i + 1]));
  return bytes;
}

}  // namespace ba::storage
