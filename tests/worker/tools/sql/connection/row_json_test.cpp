// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/connection/row_json.hpp"

#include <gtest/gtest.h>

#include "worker/tools/sql/connection/source_login.hpp"

namespace ba::sql {
namespace {

constexpr unsigned kBool = 16, kInt4 = 23, kText = 25, kJson = 114, kFloat8 = 701,
                   kTextArray = 1009, kIntArray = 1007, kTimestamp = 1114, kTimestampTz = 1184,
                   kNumeric = 1700, kBytea = 17, kByteaArray = 1001, kDate = 1082, kTime = 1083,
                   kTimeTz = 1266, kTimestampArray = 1115;

TEST(PgValue, KeepsNumbersWithTheirDigits) {
  EXPECT_EQ(pg_value_as_json("-5", kInt4), "-5");
  EXPECT_EQ(pg_value_as_json("12.50", kNumeric), "12.50");
  EXPECT_EQ(pg_value_as_json("12.00", kNumeric), "12.00");
  EXPECT_EQ(pg_value_as_json("100", kNumeric), "100");
  EXPECT_EQ(pg_value_as_json("0.000", kNumeric), "0.000");
  EXPECT_EQ(pg_value_as_json("9223372036854775807", kNumeric), "9223372036854775807");
  EXPECT_EQ(pg_value_as_json("9223372036854775809", kNumeric), "9223372036854775809");
  EXPECT_EQ(pg_value_as_json("12.6390704257304708", kNumeric), "12.6390704257304708");
  EXPECT_EQ(pg_value_as_json("NaN", kNumeric), "\"NaN\"");
  EXPECT_EQ(pg_value_as_json("-Infinity", kNumeric), "\"-Infinity\"");
  EXPECT_EQ(pg_value_as_json(std::string(1000, '9'), kNumeric), std::string(1000, '9'));
  EXPECT_EQ(pg_value_as_json(std::string(1001, '9'), kNumeric),
            "\"" + std::string(1001, '9') + "\"");
  EXPECT_EQ(pg_value_as_json("{1.10,NaN}", 1231), "[1.10,\"NaN\"]");
  EXPECT_EQ(pg_value_as_json(R"({"a":1e400,"b":1.10})", kJson), R"({"a":1e400,"b":1.10})");
  EXPECT_EQ(pg_value_as_json("1e+20", kFloat8), "1e+20");
  EXPECT_EQ(pg_value_as_json("-Infinity", kFloat8), "\"-Infinity\"");
  EXPECT_EQ(pg_value_as_json("t", kBool), "true");
}

TEST(PgValue, WritesTimesInIso8601) {
  EXPECT_EQ(pg_value_as_json("2013-01-01 05:00:00.5", kTimestamp), "\"2013-01-01T05:00:00.5\"");
  EXPECT_EQ(pg_value_as_json("2013-01-01 05:00:00+00", kTimestampTz),
            "\"2013-01-01T05:00:00+00:00\"");
  EXPECT_EQ(pg_value_as_json("2013-01-01 05:00:00+05:30", kTimestampTz),
            "\"2013-01-01T05:00:00+05:30\"");
  EXPECT_EQ(pg_value_as_json("2013-01-01 05:00:00.123456", kTimestamp),
            "\"2013-01-01T05:00:00.123456\"");
  EXPECT_EQ(pg_value_as_json("10000-01-01 00:00:00+00", kTimestampTz),
            "\"+10000-01-01T00:00:00+00:00\"");
  EXPECT_EQ(pg_value_as_json("2013-01-01", kDate), "\"2013-01-01\"");
  EXPECT_EQ(pg_value_as_json("0001-12-31 BC", kDate), "\"0000-12-31\"");
  EXPECT_EQ(pg_value_as_json("05:00:00.25", kTime), "\"05:00:00.25\"");
  EXPECT_EQ(pg_value_as_json("05:00:00+00", kTimeTz), "\"05:00:00+00:00\"");
  EXPECT_EQ(pg_value_as_json("05:00:00-03:30", kTimeTz), "\"05:00:00-03:30\"");
  EXPECT_EQ(pg_value_as_json("{\"2013-01-01 05:00:00\",infinity,NULL}", kTimestampArray),
            R"(["2013-01-01T05:00:00","infinity",null])");
  EXPECT_EQ(pg_value_as_json("infinity", kTimestamp), "\"infinity\"");
  EXPECT_EQ(pg_value_as_json("-infinity", kDate), "\"-infinity\"");
  EXPECT_EQ(pg_value_as_json("0044-03-15 12:00:00 BC", kTimestamp), "\"-0043-03-15T12:00:00\"");
}

TEST(PgValue, TellsTheLengthAndTheHashOfBytes) {
  EXPECT_EQ(
      pg_value_as_json("\\x616263", kBytea),
      R"({"bytes":3,"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"})");
  const std::string empty =
      R"({"bytes":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})";
  EXPECT_EQ(pg_value_as_json("\\x", kBytea), empty);
  EXPECT_EQ(pg_value_as_json(R"({"\\x",NULL})", kByteaArray), "[" + empty + ",null]");
}

TEST(PgValue, ReadsArrays) {
  EXPECT_EQ(pg_value_as_json("{1,NULL,3}", kIntArray), "[1,null,3]");
  EXPECT_EQ(pg_value_as_json("{}", kIntArray), "[]");
  EXPECT_EQ(pg_value_as_json("{{1,2},{3,4}}", kIntArray), "[[1,2],[3,4]]");
  EXPECT_EQ(pg_value_as_json("[0:1]={1,2}", kIntArray), "[1,2]");
  EXPECT_EQ(pg_value_as_json(R"({a,"b,c","d\"e\\f","NULL",""})", kTextArray),
            R"(["a","b,c","d\"e\\f","NULL",""])");
  EXPECT_EQ(pg_value_as_json("{1,", kIntArray), "\"{1,\"");
}

TEST(PgValue, KeepsJsonAndQuotesEverythingElse) {
  EXPECT_EQ(pg_value_as_json(R"({"a": [1]})", kJson), R"({"a": [1]})");
  EXPECT_EQ(pg_value_as_json("{broken", kJson), "\"{broken\"");
  EXPECT_EQ(pg_value_as_json("a\"b\n\xff", kText), "\"a\\\"b\\n\uFFFD\"");
  EXPECT_EQ(pg_value_as_json("1 day", 1186), "\"1 day\"");
}

TEST(PgValue, GivesJsonThatIsTooDeepOrWideAsAText) {
  const std::string deep = std::string(32, '[') + std::string(32, ']');
  EXPECT_EQ(pg_value_as_json(deep, kJson), deep);
  EXPECT_EQ(pg_value_as_json("[" + deep + "]", kJson), "\"[" + deep + "]\"");
  std::string wide = R"({"a":1)";
  for (int i = 1; i < 4096; ++i) wide += R"(,"a":1)";
  EXPECT_EQ(pg_value_as_json(wide + "}", kJson), wide + "}");
  EXPECT_TRUE(pg_value_as_json(wide + R"(,"a":1})", kJson).starts_with(R"("{\"a\")"));
}

TEST(PgValue, GivesAnArrayOfTooManyDimensionsAsAText) {
  EXPECT_EQ(pg_value_as_json("{{{{{{1}}}}}}", kIntArray), "[[[[[[1]]]]]]");
  EXPECT_EQ(pg_value_as_json("{{{{{{{1}}}}}}}", kIntArray), "\"{{{{{{{1}}}}}}}\"");
}

TEST(RowJson, IsAnArrayWithANoteOfTheCutBesideIt) {
  RowJson rows(1, 1000);
  rows.columns({{"a", kInt4}, {"a", kText}});
  EXPECT_TRUE(rows.row({"1", std::nullopt}));
  EXPECT_EQ(rows.json(), R"([{"a":1,"a_2":null}])");
  EXPECT_EQ(rows.note(), "");
  EXPECT_EQ(rows.json_with_note(), R"({"rows":[{"a":1,"a_2":null}]})");
  EXPECT_FALSE(rows.row({"2", "x"}));
  EXPECT_TRUE(rows.truncated());
  EXPECT_EQ(rows.json(), R"([{"a":1,"a_2":null}])");
  EXPECT_EQ(rows.note(),
            "Only the first 1 rows; there are more. Aggregate, filter, select fewer columns, or "
            "use LIMIT and OFFSET.");
  EXPECT_EQ(
      rows.json_with_note(),
      R"({"truncated":true,"note":"Only the first 1 rows; there are more. Aggregate, )"
      R"(filter, select fewer columns, or use LIMIT and OFFSET.","rows":[{"a":1,"a_2":null}]})");
}

TEST(RowJson, CountsRowsBytesAtTheLimit) {
  RowJson rows(10, 16);
  rows.columns({{"a", kInt4}});
  EXPECT_TRUE(rows.row({"1"}));   // {"a":1}
  EXPECT_TRUE(rows.row({"23"}));  // 7 + 8 bytes
  EXPECT_FALSE(rows.row({"4"}));
  EXPECT_EQ(rows.json(), R"([{"a":1},{"a":23}])");
  EXPECT_NE(rows.note().find("more than 16 bytes are not read"), std::string::npos);
}

/// No OFFSET leads past a row that is too large by itself.
TEST(RowJson, SaysOfAFirstRowThatIsTooLargeWhatWouldHelp) {
  RowJson rows(10, 16);
  rows.columns({{"a", kText}});
  EXPECT_FALSE(rows.row({std::string(20, 'x')}));
  EXPECT_EQ(rows.json(), "[]");
  EXPECT_NE(rows.note().find("Select fewer columns, or parts of large values, such as "
                             "left(column, 1000)."),
            std::string::npos)
      << rows.note();
}

TEST(SqlErrors, HaveTheTypeOfTheirSqlstate) {
  const std::pair<const char*, ToolErrorType> table[]{
      {"08006", ToolErrorType::TransientError},    {"0A000", ToolErrorType::InvalidParameters},
      {"21000", ToolErrorType::InvalidParameters}, {"22012", ToolErrorType::InvalidParameters},
      {"25006", ToolErrorType::PermissionDenied},  {"25P03", ToolErrorType::TransientError},
      {"28P01", ToolErrorType::DependencyError},   {"2F000", ToolErrorType::InvalidParameters},
      {"3D000", ToolErrorType::DependencyError},   {"3F000", ToolErrorType::InvalidParameters},
      {"40001", ToolErrorType::TransientError},    {"40P01", ToolErrorType::TransientError},
      {"42501", ToolErrorType::PermissionDenied},  {"42601", ToolErrorType::InvalidParameters},
      {"42703", ToolErrorType::InvalidParameters}, {"42P01", ToolErrorType::InvalidParameters},
      {"44000", ToolErrorType::InvalidParameters}, {"53300", ToolErrorType::TransientError},
      {"53200", ToolErrorType::ResourceError},     {"53400", ToolErrorType::ResourceError},
      {"54001", ToolErrorType::InvalidParameters}, {"55P03", ToolErrorType::TransientError},
      {"57014", ToolErrorType::Timeout},           {"57P01", ToolErrorType::TransientError},
      {"57P03", ToolErrorType::TransientError},    {"58030", ToolErrorType::ResourceError},
      {"XX000", ToolErrorType::ExecutionError},    {"", ToolErrorType::ExecutionError}};
  for (const auto& [sqlstate, type] : table) EXPECT_EQ(error_type_of(sqlstate), type) << sqlstate;
}

TEST(SqlErrors, TellTheModelMessagePositionAndHint) {
  SqlFailure failure;
  failure.sqlstate = "42703";
  failure.message = "column \"x\" does not exist";
  failure.position = 8;
  failure.hint = "Perhaps you meant y.";
  EXPECT_EQ(error_of(failure, "flights"),
            (ToolError{ToolErrorType::InvalidParameters, "42703",
                       "column \"x\" does not exist (character 8). Hint: Perhaps you meant y."}));
}

TEST(SqlErrors, TellNothingOfTheServersFiles) {
  SqlFailure failure;
  for (const char* sqlstate : {"53100", "58030", "XX001"}) {
    failure.sqlstate = sqlstate;
    failure.message = "could not write to file \"base/pgsql_tmp/pgsql_tmp1.0\"";
    const ToolError error = error_of(failure, "flights");
    EXPECT_EQ(error.code, sqlstate);
    EXPECT_EQ(error.message.find("base/"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("data source 'flights'"), std::string::npos) << error.message;
  }
  failure.sqlstate = "53400";
  failure.message = "temporary file size exceeds temp_file_limit (1024kB)";
  EXPECT_EQ(error_of(failure, "flights").message, failure.message) << "that names no file";
}

TEST(SqlErrors, NameTheDataSourceWhenItIsNotThere) {
  SqlFailure failure;
  failure.kind = SqlFailure::Kind::Connect;
  EXPECT_EQ(error_of(failure, "flights"),
            (ToolError{ToolErrorType::TransientError, "CONNECTION_FAILED",
                       "The data source 'flights' can't be reached at the moment"}));
  failure.sqlstate = "28P01";
  EXPECT_EQ(error_of(failure, "flights").type, ToolErrorType::DependencyError);
  failure.kind = SqlFailure::Kind::Superuser;
  EXPECT_EQ(error_of(failure, "flights").code, "SUPERUSER");
  failure.kind = SqlFailure::Kind::Lost;
  EXPECT_EQ(error_of(failure, "flights").code, "CONNECTION_LOST");
}

}  // namespace
}  // namespace ba::sql
