#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a statement answers, read by the names of its columns. A name that the result hasn't, or has
// twice, a null where none is expected and a text that isn't of the type throw std::logic_error,
// which names the statement and the column: Session::run() makes an Internal error of it. One
// thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/time.hpp"
#include "storage/postgres/connection.hpp"

namespace ba::storage {

/// A literal: results know names by their address.
struct ColumnName {
  consteval ColumnName(const char* literal) : text(literal) {}
  const char* text;
};

/// Where the columns of a result are. A name is looked for once in a result; as rows are read
/// alike, the next that is asked for is most often the one that came next in the row before.
class ColumnPlaces {
 public:
  ColumnPlaces(const char* statement, PgResult result)
      : statement_(statement), result_(std::move(result)) {}

  int find(ColumnName name);
  const char* statement() const { return statement_; }
  const pg_result* result() const { return result_.get(); }
  [[noreturn]] void fail(ColumnName name, const std::string& what) const;

 private:
  struct Known {
    const char* name;
    int place;
  };

  int look_for(ColumnName name) const;
  const char* column(int place) const;

  const char* statement_;
  PgResult result_;
  std::vector<Known> known_;
  std::size_t next_ = 0;
};

/// Keeps the result. Views of texts live as long as the result.
class Row {
 public:
  Row(std::shared_ptr<ColumnPlaces> places, std::size_t index)
      : places_(std::move(places)), index_(static_cast<int>(index)) {}

  bool is_null(ColumnName name) const;
  std::string_view view(ColumnName name) const;
  std::string text(ColumnName name) const { return std::string(view(name)); }
  std::string text_or_empty(ColumnName name) const;  ///< empty for null
  std::string bytes(ColumnName name) const;          ///< of bytea
  std::string bytes_or_empty(ColumnName name) const;
  std::int64_t big(ColumnName name) const;
  std::int64_t big_or_zero(ColumnName name) const { return optional_big(name).value_or(0); }
  std::optional<std::int64_t> optional_big(ColumnName name) const;
  int number(ColumnName name) const;
  bool flag(ColumnName name) const;
  WallTime time(ColumnName name) const;  ///< of timestamptz
  std::optional<WallTime> optional_time(ColumnName name) const;
  WallTime micros(ColumnName name) const;  ///< of a bigint, since 1970
  Milliseconds milliseconds(ColumnName name) const { return Milliseconds(big(name)); }

 private:
  std::shared_ptr<ColumnPlaces> places_;
  int index_;
};

class Rows {
 public:
  class Iterator {
   public:
    Iterator(const Rows& rows, std::size_t index) : rows_(rows), index_(index) {}
    Row operator*() const { return rows_[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const Rows& rows_;
    std::size_t index_;
  };

  /// `statement`: its name, a constant.
  Rows(const char* statement, PgResult result)
      : places_(std::make_shared<ColumnPlaces>(statement, std::move(result))) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const;
  std::int64_t affected() const;
  Row operator[](std::size_t index) const { return {places_, index}; }
  /// Of a result that has one.
  Row first() const;
  /// The first column of the first row; empty where there is none, and for null.
  std::string value() const;
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::shared_ptr<ColumnPlaces> places_;
};

/// `read(Row)` of each.
template <typename Read>
auto read_all(const Rows& rows, Read read) {
  std::vector<decltype(read(rows[0]))> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(read(row));
  return values;
}

/// PostgreSQL's hex form of bytes ("\x6162"), in which results carry them.
std::string hex_of_bytes(std::string_view bytes);

/// Empty for anything that is not in hex form.
std::string bytes_of_hex(std::string_view text);

}  // namespace ba::storage
