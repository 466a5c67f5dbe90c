// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/nearest_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ba::vector {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum VectorDistance;

constexpr unsigned kInteger = 23;  // OIDs of pg_type
constexpr unsigned kTextType = 25;
constexpr unsigned kJsonType = 3802;

class NearestRowsTest : public testing::Test {
 protected:
  NearestRowsTest() {
    order_.embedding = {1, 0};
    order_.results_max = 3;
  }

  void begin(unsigned id_type = kTextType) {
    rows_.emplace(order_, columns_, row_bytes_max_);
    rows_->columns({{"id", id_type}, {"left", kTextType}, {"embedding", 1021}});
  }
  bool add(const std::string& id, const std::string& embedding, const std::string& text = "t") {
    return rows_->row({id, text, embedding});
  }
  std::string ids() {
    std::string ids;
    const Json data = Json::parse(rows_->answer(kMuch).json);
    for (const Json& row : data)
      ids += row.at("id").is_string() ? row.at("id").get<std::string>() : row.at("id").dump();
    return ids;
  }

  static constexpr std::int64_t kMuch = std::numeric_limits<std::int64_t>::max();
  std::int64_t row_bytes_max_ = 1000;
  VectorOrder order_;
  VectorColumns columns_;
  std::optional<NearestRows> rows_;
};

TEST_F(NearestRowsTest, KeepsTheNearestInOrderWhateverTheOrderOfRows) {
  std::vector<std::pair<std::string, std::string>> rows{
      {"e", "{-1,0}"}, {"a", "{1,0}"}, {"c", "{1,1}"}, {"b", "{1,0}"}, {"d", "{0,1}"}};
  std::sort(rows.begin(), rows.end());
  do {
    begin();
    for (const auto& [id, embedding] : rows) EXPECT_TRUE(add(id, embedding));
    EXPECT_EQ(ids(), "abc");
  } while (std::next_permutation(rows.begin(), rows.end()));
}

TEST_F(NearestRowsTest, OrdersEqualScoresByTheValueOfNumbersAndTheBytesOfTexts) {
  begin();
  for (const char* id : {"9", "10", "B", "a"}) add(id, "{1,0}");
  EXPECT_EQ(ids(), "109B");
  columns_.number_ids = true;
  begin(kInteger);
  for (const char* id : {"10", "9", "-2", "11"}) add(id, "{1,0}");
  EXPECT_EQ(ids(), "-2910");
}

TEST_F(NearestRowsTest, LeavesOutWhatIsBelowTheLeastScore) {
  order_.min_score = 0.0;
  begin();
  add("a", "{1,0}");
  add("b", "{0,1}");
  add("c", "{-1,9}");
  EXPECT_EQ(ids(), "ab");
}

TEST_F(NearestRowsTest, CountsWhatItCouldNotCompare) {
  begin();
  add("a", "{1,0}");
  rows_->row({"b", "t", std::nullopt});
  for (const char* embedding : {"{1,0,0}", "{1,NaN}", "{1,NULL}", "{0,0}"}) add("c", embedding);
  EXPECT_EQ(rows_->answer(kMuch).json, R"([{"id":"a","score":1.0,"text":"t"}])");
  EXPECT_EQ(rows_->answer(kMuch).note,
            "Not searched: 1 rows without an embedding, 4 rows whose embedding isn't 2 finite "
            "numbers or has no such score.");
}

TEST_F(NearestRowsTest, GivesMetadataAsTheirTypesAreAndCutsTexts) {
  order_.index.text_chars_max = 3;
  rows_.emplace(order_, columns_, row_bytes_max_);
  rows_->columns({{"id", kInteger},
                  {"left", kTextType},
                  {"e", 1021},
                  {"p\"g", kInteger},
                  {"more", kJsonType},
                  {"none", kTextType}});
  rows_->row({"7", "äöüx", "{1,0}", "3", R"({"k": [1]})", std::nullopt});
  rows_->row({"8", std::nullopt, "{1,0}", "4", "null", "x"});
  EXPECT_EQ(rows_->answer(kMuch).note, "");
  EXPECT_EQ(rows_->answer(kMuch).json,
            R"([{"id":7,"score":1.0,"text":"äöü…","metadata":{"p\"g":3,)"
            R"("more":{"k": [1]},"none":null}},{"id":8,"score":1.0,"text":"",)"
            R"("metadata":{"p\"g":4,"more":null,"none":"x"}}])");
}

TEST_F(NearestRowsTest, StopsAtTheBytesThatMayBeRead) {
  order_.index.read_bytes_max = 14;  // seven a row
  begin();
  EXPECT_TRUE(add("a", "{1,0}"));
  EXPECT_TRUE(add("b", "{1,0}"));
  EXPECT_FALSE(rows_->too_many_bytes());
  EXPECT_FALSE(add("c", "{1,0}"));
  EXPECT_TRUE(rows_->too_many_bytes());
}

TEST_F(NearestRowsTest, RefusesARowThatIsTooLargeOnlyWhereItWouldBeKept) {
  row_bytes_max_ = 6;
  order_.results_max = 1;
  begin();
  EXPECT_TRUE(add("a", "{1,0}", "12345"));
  EXPECT_TRUE(add("b", "{0,1}", "123456"));
  EXPECT_FALSE(rows_->row_too_large());
  EXPECT_FALSE(add("0", "{1,0}", "123456"));
  EXPECT_TRUE(rows_->row_too_large());
}

TEST_F(NearestRowsTest, SaysHowManyResultsDidNotFit) {
  begin();
  for (const char* id : {"a", "b", "c"}) add(id, "{1,0}");
  const std::string one = R"({"id":"a","score":1.0,"text":"t"})";
  const auto size = static_cast<std::int64_t>(one.size());
  EXPECT_EQ(rows_->answer(size).json, "[" + one + "]");
  EXPECT_EQ(rows_->answer(size).note,
            "The last 2 results are left out: they are too long. Ask for fewer.");
  EXPECT_EQ(rows_->answer(3 * size + 2).note, "");
}

TEST_F(NearestRowsTest, TakesTheWordOfPgvector) {
  columns_.pgvector = true;
  order_.index.read_bytes_max = 1;  // of an exact search only
  begin();
  add("a", "0.25");
  add("b", "NaN");
  EXPECT_THAT(rows_->answer(kMuch).note, HasSubstr("1 rows whose embedding"));
  EXPECT_EQ(rows_->answer(kMuch).json, R"([{"id":"a","score":0.75,"text":"t"}])");
}

TEST(VectorSimilarity, IsGreaterTheNearerTwoVectorsAre) {
  EXPECT_EQ(score_of(Cosine, {1, 0}, {5, 0}), 1);
  EXPECT_EQ(score_of(Cosine, {1, 0}, {0, 3}), 0);
  EXPECT_EQ(score_of(Cosine, {1, 0}, {-2, 0}), -1);
  EXPECT_EQ(score_of(Cosine, {1, 0}, {1, 1}), 0.707107);
  EXPECT_EQ(score_of(L2, {1, 2}, {1, 2}), 1);
  EXPECT_EQ(score_of(L2, {0, 0}, {3, 4}), 0.166667);
  EXPECT_EQ(score_of(InnerProduct, {1, 2}, {3, -4}), -5);
}

TEST(VectorSimilarity, IsTheSameByWhatPgvectorsOperatorsGive) {
  EXPECT_EQ(score_of_operator(Cosine, 1 - std::sqrt(0.5)), score_of(Cosine, {1, 0}, {1, 1}));
  EXPECT_EQ(score_of_operator(L2, 5), score_of(L2, {0, 0}, {3, 4}));
  EXPECT_EQ(score_of_operator(InnerProduct, 5), score_of(InnerProduct, {1, 2}, {3, -4}));
}

TEST(VectorSimilarity, IsNoneWhereThereIsNoSuchNumber) {
  EXPECT_EQ(score_of(Cosine, {1, 0}, {0, 0}), std::nullopt);
  EXPECT_EQ(score_of(L2, {1, 0}, {0, 0}), 0.5);
  EXPECT_EQ(score_of(InnerProduct, {1e200, 0}, {1e200, 0}), std::nullopt);
  EXPECT_EQ(score_of_operator(Cosine, std::nan("")), std::nullopt);
  EXPECT_EQ(score_of_operator(L2, -std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(score_of_operator(InnerProduct, std::numeric_limits<double>::infinity()), std::nullopt);
}

TEST(VectorSimilarity, HasNoNegativeZero) {
  EXPECT_FALSE(std::signbit(*score_of(InnerProduct, {1, 0}, {-0.0, -1})));
  EXPECT_FALSE(std::signbit(*score_of(Cosine, {1, 0}, {-1e-9, 1})));
}

TEST(StoredVector, ReadsWhatTheServerWrites) {
  std::vector<double> numbers{9, 9, 9, 9};
  ASSERT_TRUE(read_stored_vector("{0.5,-1,1e-05}", 3, numbers));
  EXPECT_THAT(numbers, ElementsAre(0.5, -1, 1e-5));
  ASSERT_TRUE(read_stored_vector("{7}", 1, numbers));
  EXPECT_THAT(numbers, ElementsAre(7));
}

TEST(StoredVector, RefusesWhatIsNotThatManyFiniteNumbers) {
  std::vector<double> numbers;
  for (const char* text : {"",         "{",         "{}",          "{1}",          "{1,2,3}",
                           "{1,NULL}", "{NULL,1}",  "{1,NaN}",     "{Infinity,1}", "{1,-Infinity}",
                           "{{1,2}}",  "{{1},{2}}", "[0:1]={1,2}", "{1,2",         "1,2}",
                           "{1,}",     "{1,2,}",    "{1;2}",       "{1 2}",        "{a,b}"})
    EXPECT_FALSE(read_stored_vector(text, 2, numbers)) << text;
}

}  // namespace
}  // namespace ba::vector
