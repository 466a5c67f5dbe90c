#pragma once
// SPDX-License-Identifier: Apache-2.0
// Arrays as parameters, so that one statement carries the values of many rows:
// `… FROM unnest($1::bigint[], $2::text[])`. They are written in PostgreSQL's binary format, which
// needs no quoting here and no parsing there; so the element type must be exactly the one that the
// statement names. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "pipeline/base/time.hpp"
#include "storage/postgres/statement.hpp"

namespace ba::storage {

/// Element types by their fixed OIDs (src/include/catalog/pg_type.dat).
enum class PgType : std::uint32_t {
  Bool = 16,
  Bytea = 17,
  Bigint = 20,
  Smallint = 21,
  Integer = 23,
  Text = 25,
  Json = 114,
  Timestamptz = 1184
};

/// The format, for all element types. Every element is its length (or -1 for null) and its bytes.
class BinaryArray {
 public:
  void append_null();
  void append_bytes(std::string_view bytes);
  void append_integer(std::int64_t value, int size);  ///< big-endian, `size` bytes
  bool empty() const { return count_ == 0; }
  std::string encode(PgType type) const;

 private:
  std::string elements_;
  std::int32_t count_ = 0;
  bool holds_null_ = false;
};

template <PgType kType>
class PgArray {
 public:
  void add(std::int64_t value) requires(kType == PgType::Bigint || kType == PgType::Integer ||
                                        kType == PgType::Smallint) {
    array_.append_integer(value, kType == PgType::Bigint ? 8 : kType == PgType::Integer ? 4 : 2);
  }
  void add(bool value) requires(kType == PgType::Bool) { array_.append_integer(value ? 1 : 0, 1); }
  /// Text and Json must be UTF-8 without NUL: PostgreSQL refuses others.
  void add(std::string_view bytes) requires(kType == PgType::Text || kType == PgType::Json ||
                                            kType == PgType::Bytea) {
    array_.append_bytes(bytes);
  }
  void add(WallTime time) requires(kType == PgType::Timestamptz) {
    constexpr WallTime kEpoch = std::chrono::sys_days(std::chrono::year(2000) / 1 / 1);
    array_.append_integer((time - kEpoch).count(), 8);
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : array_.append_null();
  }
  void add_null() { array_.append_null(); }

  bool empty() const { return array_.empty(); }
  std::string encode() const { return array_.encode(kType); }

 private:
  BinaryArray array_;
};

using BigintArray = PgArray<PgType::Bigint>;
using IntegerArray = PgArray<PgType::Integer>;
using SmallintArray = PgArray<PgType::Smallint>;
using BoolArray = PgArray<PgType::Bool>;
using TextArray = PgArray<PgType::Text>;
using JsonArray = PgArray<PgType::Json>;
using ByteaArray = PgArray<PgType::Bytea>;
using TimestampArray = PgArray<PgType::Timestamptz>;

/// The values of many rows, column by column, in the order in which a statement takes them.
template <PgType... kTypes>
class RowArrays {
 public:
  /// A row: one value for each column, or std::optional with none for null.
  template <typename... Values>
  void add(const Values&... values) {
    static_assert(sizeof...(Values) == sizeof...(kTypes));
    std::apply([&](auto&... column) { (column.add(values), ...); }, columns_);
  }

  bool empty() const { return column<0>().empty(); }

  template <std::size_t kIndex>
  const auto& column() const {
    return std::get<kIndex>(columns_);
  }

  /// Nothing where there are no rows. What it fails with is thrown as that of Transaction::send().
  template <typename Transaction>
  void write(Transaction& transaction, const Statement& statement) const {
    if (empty()) return;
    std::apply([&](const auto&... column) { transaction.send(statement, column...); }, columns_);
  }

 private:
  std::tuple<PgArray<kTypes>...> columns_;
};

/// Of what stands as null where it is empty.
inline std::optional<std::string_view> null_if_empty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace ba::storage
