// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of a query as JSON, within limits: an array of objects, and beside it a note of what was
// cut. Columns keep their order; the second `x` of a row is `x_2`. What a write returns is part of
// a larger result, and has the note within:
//
//   {"rows":[{"count":336776}]}                                         one row
//   {"row_count":2,"rows":[{"carrier":"AA","n":3},{"carrier":"UA","n":4}]}
//   {"row_count":1000,"truncated":true,"note":"Only the first …","rows":[…]}
//
// There the count is left out for one row, where it could be taken for the answer. Many rows are
// put away in chunks where there is a store for them (result_items.hpp). And single values. One
// thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/tools/base/result_items.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"

namespace ba::sql {

/// What a session sets so that its values can be read here, whatever the server's settings, and so
/// that strings are what the SQL guards take them for. Names and values of PostgreSQL.
inline constexpr std::pair<const char*, const char*> kReadableSettings[]{
    {"standard_conforming_strings", "on"},
    {"DateStyle", "ISO, YMD"},
    {"IntervalStyle", "postgres"},
    {"TimeZone", "UTC"},
    {"bytea_output", "hex"},
    {"extra_float_digits", "1"}};

/// The same as statements: "SET DateStyle = 'ISO, YMD'; …".
std::string readable_formats();

/// A value as PostgreSQL writes it, as JSON. Integers and booleans are what they are; a numeric is
/// a number with its digits, NaN and infinities are strings; json stays json; dates and timestamps
/// are ISO 8601, as precise as they are, with a zone where the type has one; bytea is
/// {"bytes":3,"sha256":"…"}; arrays of such types are arrays; everything else is its text.
/// `type` is the OID of the value's type. The text must be written with kReadableSettings.
std::string pg_value_as_json(std::string_view text, unsigned type);

/// Any text as a JSON string; broken UTF-8 is replaced by U+FFFD.
std::string json_quoted(std::string_view text);

class RowJson final : public RowSink {
 public:
  RowJson(int row_limit, std::int64_t bytes_max, tools::ResultRoom room = {})
      : row_limit_(row_limit), items_(bytes_max, room) {}

  /// Says in the note whose limit that of the rows is.
  void row_limit_is(std::string key) { row_limit_key_ = std::move(key); }

  void columns(const std::vector<Column>& columns) override;
  bool row(const Row& row) override;
  void oversize() override;

  bool truncated() const { return stopped_; }
  bool begun() const { return items_.count() > 0 || stopped_; }
  const std::string& note() const { return note_; }               ///< empty: nothing was cut
  std::string json() const { return "[" + items_.held() + "]"; }  ///< without a store: the array
  std::string json_with_note() const;

  /// The rows and the note. Last of all.
  void finish(RawToolResult& result);

 private:
  bool too_large(std::int64_t row_bytes) const;

  int row_limit_;
  std::string row_limit_key_;
  tools::ResultItems items_;
  std::vector<std::string> keys_;  ///< quoted
  std::vector<unsigned> types_;
  std::string note_;
  bool stopped_ = false;
};

}  // namespace ba::sql
