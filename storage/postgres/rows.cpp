// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/rows.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace ba::storage {
namespace {

/// Empty for null.
std::string_view text_at(const pg_result* result, int row, int column) {
  const int size = PQgetlength(result, row, column);
  return {PQgetvalue(result, row, column), static_cast<std::size_t>(size)};
}

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
  const int columns = PQnfields(result_.get());
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

const char* ColumnPlaces::column(int place) const { return PQfname(result_.get(), place); }

void ColumnPlaces::fail(ColumnName name, const std::string& what) const {
  throw std::logic_error("statement \"" + std::string(statement_) + "\": column \"" + name.text +
                         "\" " + what);
}

bool Row::is_null(ColumnName name) const {
  return PQgetisnull(places_->result(), index_, places_->find(name)) == 1;
}

std::string_view Row::view(ColumnName name) const {
  const int place = places_->find(name);
  if (PQgetisnull(places_->result(), index_, place) == 1)
    places_->fail(name, "is null, which it may not be");
  return text_at(places_->result(), index_, place);
}

std::string Row::text_or_empty(ColumnName name) const {
  return std::string(text_at(places_->result(), index_, places_->find(name)));
}

std::string Row::bytes(ColumnName name) const { return bytes_of_hex(view(name)); }

std::string Row::bytes_or_empty(ColumnName name) const {
  return bytes_of_hex(text_at(places_->result(), index_, places_->find(name)));
}

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

std::size_t Rows::size() const { return static_cast<std::size_t>(PQntuples(places_->result())); }

std::int64_t Rows::affected() const {
  const std::string_view count = PQcmdTuples(const_cast<pg_result*>(places_->result()));
  std::int64_t rows = 0;
  std::from_chars(count.data(), count.data() + count.size(), rows);
  return rows;
}

std::string Rows::value() const {
  if (empty()) return "";
  return std::string(text_at(places_->result(), 0, 0));
}

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
