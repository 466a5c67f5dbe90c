// SPDX-License-Identifier: Apache-2.0
// `ba-agent cache stats`, `show` and `purge`.
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/base/exact_json.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/table.hpp"
#include "worker/cli/tools/tool_catalogue.hpp"
#include "worker/config/nearest_word.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownKey = 12;

void write(std::ostream& out, const Json& json) { out << dump_exact(json, 2) << "\n"; }

Json as_json(const CachedEntry& entry) {
  Json json = {{"key", entry.key},
               {"tenant", entry.tenant},
               {"tool", entry.tool},
               {"tool_version", entry.tool_version},
               {"caller", entry.caller},
               {"data_source", entry.data_source},
               {"bytes", entry.bytes},
               {"hits", entry.hits},
               {"origin", entry.origin},
               {"created_at", entry.created_at},
               {"expires_at", entry.expires_at}};
  if (!entry.data.empty()) json["data"] = parse_exact<Json>(entry.data);
  if (!entry.note.empty()) json["note"] = entry.note;
  return json;
}

void show_all(const std::vector<CachedEntry>& entries, Terminal& terminal) {
  Table table({"KEY", "TENANT", "TOOL", "CALLER", "SOURCE", "BYTES", "HITS", "EXPIRES"});
  for (const CachedEntry& entry : entries)
    table.add({entry.key.substr(0, kShownKey), entry.tenant, entry.tool, entry.caller,
               entry.data_source, std::to_string(entry.bytes), std::to_string(entry.hits),
               entry.expires_at});
  table.write(terminal);
}

/// The entry with its data, where a key names one; else the list without any.
Result<std::vector<CachedEntry>> entries_of(const PgAccess& access,
                                            const CacheShowArguments& arguments) {
  auto entries = cached_entries(access, arguments.filter, arguments.rows_max);
  const bool one = entries && !arguments.filter.key.empty() && entries->size() == 1;
  return one ? cached_entries(access, arguments.filter, 1) : entries;
}

/// Nothing was found under a name that no built-in tool has: a slip leaves the stale result there.
void doubt_tool(const std::string& tool, const CliSession& session) {
  if (tool.empty() || may_offer(session.config().mcp, tool)) return;
  const auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue || catalogue->find(tool) != nullptr) return;
  const auto near = settings::nearest_word(tool, catalogue->tools().names(std::nullopt));
  session.terminal.message(printable("there is no tool '" + tool + "'" +
                                     (near ? "; did you mean '" + *near + "'?" : "")));
}

}  // namespace

int cache_stats_command(const CacheStatsArguments& arguments, const CliSession& session) {
  const auto access = ledger_of(session.config());
  if (!access) return session.terminal.fail(access.error());
  const auto statistics = cache_statistics(*access, arguments.filter);
  if (!statistics) return session.terminal.fail(statistics.error());
  if (statistics->empty()) doubt_tool(arguments.filter.tool, session);
  Table table({"TENANT", "TOOL", "ENTRIES", "EXPIRED", "BYTES", "HITS"});
  Json all = Json::array();
  for (const CacheToolStatistics& one : *statistics) {
    all.push_back({{"tenant", one.tenant},
                   {"tool", one.tool},
                   {"entries", one.entries},
                   {"expired", one.expired},
                   {"bytes", one.bytes},
                   {"hits", one.hits}});
    table.add({one.tenant, one.tool, std::to_string(one.entries), std::to_string(one.expired),
               std::to_string(one.bytes), std::to_string(one.hits)});
  }
  if (arguments.json)
    write(session.terminal.out(), all);
  else if (statistics->empty())
    session.terminal.message("no results are kept");
  else
    table.write(session.terminal);
  return kExitOk;
}

int cache_show_command(const CacheShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = ledger_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto entries = entries_of(*access, arguments);
  if (!entries) return terminal.fail(entries.error());
  const bool missing = entries->empty() && !arguments.filter.key.empty();
  if (missing) {
    terminal.failure("no result is kept under the key " + printable(arguments.filter.key));
    return kExitFailed;
  }
  Json all = Json::array();
  for (const CachedEntry& entry : *entries) all.push_back(as_json(entry));
  const bool one = entries->size() == 1 && !arguments.filter.key.empty();
  if (one)
    write(terminal.out(), all[0]);
  else if (arguments.json)
    write(terminal.out(), all);
  else if (entries->empty())
    terminal.message("no results are kept");
  else
    show_all(*entries, terminal);
  return kExitOk;
}

int cache_purge_command(const CachePurgeArguments& arguments, const CliSession& session) {
  const auto access = ledger_of(session.config());
  if (!access) return session.terminal.fail(access.error());
  const auto purged = purge_cache(*access, arguments.filter);
  if (!purged) return session.terminal.fail(purged.error());
  if (*purged == 0) doubt_tool(arguments.filter.tool, session);
  if (arguments.json)
    write(session.terminal.out(), Json{{"purged", *purged}});
  else
    session.terminal.out() << *purged << (*purged == 1 ? " result" : " results") << " taken out\n";
  return kExitOk;
}

}  // namespace ba
