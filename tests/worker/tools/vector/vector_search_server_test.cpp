// SPDX-License-Identifier: Apache-2.0
// What is found, by an exact search of arrays and by the type of pgvector.
#include "tests/worker/tools/vector/vector_server_fixture.hpp"

namespace ba::vector {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using VectorSearchOnServer = VectorOnServer;

TEST_F(VectorSearchOnServer, FindsTheNearestFirstWithTextAndMetadata) {
  add("far", "{-1,0,0}");
  add("near", "{2,0,0}");
  add("between", "{1,1,0}");
  owner_.run("UPDATE ba_passages SET metadata = '{\"page\": 3}' WHERE id = 'near'");
  EXPECT_EQ(found("1 0 0"),
            R"([{"id":"near","score":1.0,"text":"text of near","metadata":)"
            R"({"metadata":{"page": 3}}},{"id":"between","score":0.707107,)"
            R"("text":"text of between","metadata":{"metadata":{}}},{"id":"far","score":-1.0,)"
            R"("text":"text of far","metadata":{"metadata":{}}}])");
}

TEST_F(VectorSearchOnServer, AnEmptyIndexHasNoResults) { EXPECT_EQ(found("1 0 0"), "[]"); }

TEST_F(VectorSearchOnServer, ComparesByTheDistanceOfTheIndex) {
  add("long", "{10,0,0}");
  add("turned", "{1,0.5,0}");
  add("same", "{1,0,0}");
  EXPECT_EQ(ids("1 0 0"), "long same turned");
  index().distance = VectorDistance::L2;
  tool_.reset();
  EXPECT_EQ(ids("1 0 0"), "same turned long");
  EXPECT_THAT(found("1 0 0", {{"limit", 1}}), HasSubstr(R"("score":1.0)"));
  index().distance = VectorDistance::InnerProduct;
  tool_.reset();
  EXPECT_EQ(ids("1 0 0"), "long same turned");
  EXPECT_THAT(found("1 0 0", {{"limit", 1}}), HasSubstr(R"("score":10.0)"));
}

TEST_F(VectorSearchOnServer, KeepsToLimitAndLeastScoreAndOrdersEqualOnesById) {
  for (const char* id : {"c", "a", "d", "b"}) add(id, "{1,0,0}");
  add("e", "{1,1,0}");
  EXPECT_EQ(ids("1 0 0", {{"limit", 2}}), "a b");
  EXPECT_EQ(ids("1 0 0", {{"min_score", 0.8}}), "a b c d");
  EXPECT_EQ(ids("1 0 0", {{"min_score", 0.707107}}), "a b c d e");
  for (int i = 10; i < 20; ++i) add("f" + std::to_string(i), "{1,0,0}");
  EXPECT_EQ(ids("1 0 0"), "a b c d f10 f11 f12 f13 f14 f15");  // ten where nothing is said
}

TEST_F(VectorSearchOnServer, PassesOverWhatItCantCompareAndCountsIt) {
  add("good", "{1,0,0}");
  add("none", "NULL");
  add("short", "{1,0}");
  add("hole", "{1,NULL,0}");
  add("nan", "{1,NaN,0}");
  add("endless", "{1,Infinity,0}");
  add("zero", "{0,0,0}");
  add("square", "{{1,0,0}}");
  EXPECT_THAT(found("1 0 0"), StartsWith(R"([{"id":"good")"));
  EXPECT_EQ(search("1 0 0").note,
            "Not searched: 1 rows without an embedding, 6 rows whose embedding isn't 3 finite "
            "numbers or has no such score.");
  EXPECT_EQ(ids("1 0 0"), "good");
}

TEST_F(VectorSearchOnServer, TakesDoublesNumbersAsIdsAndNamesOfAnyLetters) {
  owner_.run(
      "CREATE SCHEMA \"k b\"; CREATE TABLE \"k b\".\"te\"\"xts; DROP TABLE ba_passages\" "
      "(\"I d\" bigint, \"T\"\"x\" text, \"select\" double precision[], \"m m\" date, who uuid); "
      "INSERT INTO \"k b\".\"te\"\"xts; DROP TABLE ba_passages\" VALUES "
      "(10, 'ten', '{1,0,0}', '2026-01-02', NULL), (9, 'nine', '{1,0,0}', NULL, NULL); "
      "GRANT USAGE ON SCHEMA \"k b\" TO ba_reader; "
      "GRANT SELECT ON ALL TABLES IN SCHEMA \"k b\" TO ba_reader");
  index().table = "k b.te\"xts; DROP TABLE ba_passages";
  index().id_column = "I d";
  index().text_column = "T\"x";
  index().embedding_column = "select";
  index().metadata_columns = {"m m"};
  index().tenant_column.clear();
  index().shared_by_tenants = true;
  EXPECT_EQ(found("1 0 0"),
            R"([{"id":9,"score":1.0,"text":"nine","metadata":{"m m":null}},)"
            R"({"id":10,"score":1.0,"text":"ten","metadata":{"m m":"2026-01-02"}}])");
  EXPECT_EQ(owner_.value("SELECT count(*) FROM ba_passages"), "0");
}

/// pgvector's name, text and operators; its own code isn't in Debian 12.
constexpr const char* kLikePgvector = R"(
CREATE SCHEMA ext;
CREATE DOMAIN ext.vector AS text;
CREATE FUNCTION ext.numbers(v text) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
  $$ SELECT translate(v, '[]', '{}')::float8[] $$;
CREATE FUNCTION ext.vector_dims(v ext.vector) RETURNS int IMMUTABLE LANGUAGE sql AS
  $$ SELECT cardinality(ext.numbers(v::text)) $$;
CREATE FUNCTION ext.inner_product(a text, b text) RETURNS float8 IMMUTABLE LANGUAGE sql AS
  $$ SELECT sum(x * y) FROM unnest(ext.numbers(a), ext.numbers(b)) AS both_of(x, y) $$;
CREATE FUNCTION ext.negative_product(a text, b text) RETURNS float8 IMMUTABLE LANGUAGE sql AS
  $$ SELECT -ext.inner_product(a, b) $$;
CREATE FUNCTION ext.l2(a text, b text) RETURNS float8 IMMUTABLE LANGUAGE sql AS
  $$ SELECT sqrt(sum((x - y) ^ 2)) FROM unnest(ext.numbers(a), ext.numbers(b)) AS both_of(x, y) $$;
CREATE FUNCTION ext.cosine(a text, b text) RETURNS float8 IMMUTABLE LANGUAGE sql AS
  $$ SELECT CASE WHEN ext.inner_product(b, b) = 0 OR ext.inner_product(a, a) = 0 THEN 'NaN' ELSE
     1 - ext.inner_product(a, b) / sqrt(ext.inner_product(a, a) * ext.inner_product(b, b)) END $$;
CREATE OPERATOR ext.<=> (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.cosine);
CREATE OPERATOR ext.<-> (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.l2);
CREATE OPERATOR ext.<#> (LEFTARG = text, RIGHTARG = text, FUNCTION = ext.negative_product);
GRANT USAGE ON SCHEMA ext TO ba_reader;
CREATE TABLE compared (id text, tenant text, text text, embedding ext.vector);
GRANT SELECT ON compared TO ba_reader;
INSERT INTO compared VALUES ('near', 'acme', 'n', '[2,0,0]'), ('b', 'acme', 'b', '[1,1,0]'),
  ('B', 'acme', 'B', '[1,1,0]'), ('far', 'acme', 'f', '[-1,0,0]'), ('none', 'acme', 'x', NULL),
  ('short', 'acme', 'x', '[1,0]'), ('zero', 'acme', 'z', '[0,0,0]'),
  ('theirs', 'globex', 'x', '[1,0,0]'))";

TEST_F(VectorSearchOnServer, LetsThePgvectorOfTheServerCompare) {
  owner_.run(kLikePgvector);
  index().table = "compared";
  index().metadata_columns.clear();
  index().rows_max = 1;  // of an exact search only
  EXPECT_EQ(found("1 0 0", {{"limit", 3}}),
            R"([{"id":"near","score":1.0,"text":"n"},{"id":"B","score":0.707107,)"
            R"("text":"B"},{"id":"b","score":0.707107,"text":"b"}])");
  EXPECT_EQ(ids("1 0 0"), "near B b far");
  EXPECT_THAT(search("1 0 0").note, HasSubstr("1 rows whose embedding"));  // zero has no direction
  EXPECT_EQ(ids("1 0 0", {{"min_score", 0.5}}), "near B b");
  index().distance = VectorDistance::L2;
  tool_.reset();
  EXPECT_THAT(found("1 1 0", {{"limit", 1}}), HasSubstr(R"({"id":"B","score":1.0)"));
  index().distance = VectorDistance::InnerProduct;
  tool_.reset();
  EXPECT_THAT(found("1 0 0", {{"limit", 1}}), HasSubstr(R"({"id":"near","score":2.0)"));
}

}  // namespace
}  // namespace ba::vector
