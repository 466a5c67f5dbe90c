// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/source_tables.hpp"

#include "pipeline/text/message/utf8.hpp"

namespace ba {

const char* const kTablesQuestion = R"sql(
SELECT CASE WHEN n.nspname = 'public' THEN '' ELSE quote_ident(n.nspname) || '.' END
       || quote_ident(c.relname) || '('
       || (SELECT string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod),
                             ', ' ORDER BY a.attnum)
             FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
       || ')' || coalesce(' -- ' || obj_description(c.oid, 'pg_class'), '')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
   AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
   AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
 ORDER BY n.nspname <> 'public', n.nspname, c.relname)sql";

namespace {

constexpr int kTablesMax = 60;
constexpr std::size_t kLineBytesMax = 1000;
constexpr std::size_t kTablesBytesMax = 8192;

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  if (text.size() <= kLineBytesMax) return text;
  return std::string(utf8_prefix(text, kLineBytesMax)) + "…";
}

}  // namespace

std::string listing_of(const std::vector<std::string>& tables) {
  std::string text;
  int shown = 0;
  for (const std::string& table : tables) {
    const std::string line = one_line(table);
    if (shown == kTablesMax || text.size() + line.size() > kTablesBytesMax) break;
    text += (shown++ > 0 ? "\n" : "") + line;
  }
  const int left = static_cast<int>(tables.size()) - shown;
  if (left > 0)
    text += "\n… and " + std::to_string(left) + " more: see information_schema.tables and .columns";
  return text;
}

}  // namespace ba
