// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/values.hpp"

#include <map>

namespace ba::hunt {
namespace {

/// What a function could do harm with: a session, a file, a sequence, a lock, a statement.
const std::map<std::string, std::vector<std::string>>& samples() {
  static const std::map<std::string, std::vector<std::string>> kSamples{
      {"integer", {"1", "0", "$VICTIM", "42"}},
      {"bigint", {"42", "1", "0"}},
      {"smallint", {"1"}},
      {"numeric", {"1.5", "0"}},
      {"double precision", {"0.001", "1"}},
      {"real", {"1.5"}},
      {"boolean", {"true", "false"}},
      {"text",
       {"'x'", "'canary.txt'", "'search_path'", "'hunt.secret'", "'airlines'", "'SELECT 1'",
        "'SELECT hold(1)'", "'now'", "'tenant'", "'counter'"}},
      {"character varying", {"'x'"}},
      {"name", {"'x'", "'tenant'"}},
      {"cstring", {"'x'", "'1'"}},
      {"oid", {"0", "'airlines'::regclass", "10"}},
      {"regclass", {"'counter'", "'airlines'"}},
      {"json", {"'{\"n\": 5}'"}},
      {"jsonb", {"'{\"n\": 5}'", "'[1]'"}},
      {"timestamp with time zone", {"'2024-01-01'"}},
      {"timestamp without time zone", {"'2024-01-01'"}},
      {"date", {"'2024-01-01'"}},
      {"interval", {"'1 ms'", "'1 day'"}},
      {"integer[]", {"'{1,2}'", "ARRAY[1]"}},
      {"text[]", {"'{a,b}'"}},
      {"bytea", {"'x'"}},
      {"xml", {"'<e>5</e>'"}},
      {"tsvector", {"'a'"}},
      {"tsquery", {"'a'"}},
      {"inet", {"'10.0.0.1'"}},
      {"int4range", {"'[1,3)'"}},
      {"percentage", {"5"}},
      {"order_state", {"'paid'"}},
      {"code", {"ROW('a')"}},
      {"regconfig", {"'english'"}},
      {"refcursor", {"'c'"}},
      {"pg_lsn", {"'0/1'"}},
  };
  return kSamples;
}

}  // namespace

std::string concrete(const std::string& type) {
  static const std::map<std::string, std::string> kStandsFor{
      {"anyelement", "integer"},
      {"anynonarray", "integer"},
      {"anycompatible", "integer"},
      {"anycompatiblenonarray", "integer"},
      {"\"any\"", "integer"},
      {"any", "integer"},
      {"anyarray", "integer[]"},
      {"anycompatiblearray", "integer[]"},
      {"anyenum", "order_state"},
      {"anyrange", "int4range"},
      {"anycompatiblerange", "int4range"},
      {"anymultirange", "int4multirange"},
      {"anycompatiblemultirange", "int4multirange"}};
  const auto found = kStandsFor.find(type);
  return found == kStandsFor.end() ? type : found->second;
}

std::string null_of(const std::string& type) {
  const std::string real = concrete(type);
  if (real == "record") return "(ROW(1, 2))";
  if (real == "record[]") return "(ARRAY[ROW(1, 2)])";
  return "(NULL::" + real + ")";
}

std::string value_of(const std::string& type, Dice& dice) {
  const auto found = samples().find(concrete(type));
  if (found == samples().end() || dice.one_in(8)) return null_of(type);
  return "(" + dice.of(found->second) + "::" + concrete(type) + ")";
}

}  // namespace ba::hunt
