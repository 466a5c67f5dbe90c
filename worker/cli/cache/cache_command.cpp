// SPDX-License-Identifier: Apache-2.0
// `ba-agent cache stats`, `show` and `purge`.
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "storage/cache_admin.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/tools/tool_catalogue.hpp"

namespace ba::cli {
namespace {

struct StatsArguments {
  storage::CacheFilter filter;
  bool json = false;
};

struct ShowArguments {
  storage::CacheFilter filter;
  int rows_max = 20;
  bool json = false;
};

struct PurgeArguments {
  storage::CacheFilter filter;
  bool all = false;
  bool json = false;
};

void declare_filter(CLI::App& app, storage::CacheFilter& filter) {
  filter_option(app, "--tenant", filter.tenant, "Only this tenant's");
  filter_option(app, "--tool", filter.tool, "Only this tool's");
  filter_option(app, "--data-source", filter.data_source,
                "Only of this data source, or index of vector_search");
  app.add_flag("--expired", filter.expired_only, "Only results that have expired");
}

void declare_stats(CLI::App& app, StatsArguments& arguments) {
  declare_filter(app, arguments.filter);
  json_flag(app, arguments.json, JsonForm::Array);
}

void declare_show(CLI::App& app, ShowArguments& arguments) {
  filter_option(app, "key", arguments.filter.key, "A key, or its beginning");
  declare_filter(app, arguments.filter);
  max_option(app, arguments.rows_max);
  json_flag(app, arguments.json, JsonForm::Array);
}

void declare_purge(CLI::App& app, PurgeArguments& arguments) {
  filter_option(app, "--key", arguments.filter.key, "A key, or its beginning");
  declare_filter(app, arguments.filter);
  app.add_flag("--all", arguments.all, "Everything");
  json_flag(app, arguments.json, JsonForm::Document);
  app.callback([&arguments] {
    if (arguments.all == arguments.filter.any()) return;
    throw CLI::RequiredError(
        "--all, or at least one of --key, --tenant, --tool, --data-source and --expired,");
  });
}

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownKey = 12;

void write(std::ostream& out, const Json& json) { out << dump_exact(json, 2) << "\n"; }

Json as_json(const storage::CachedEntry& entry) {
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

void show_all(const std::vector<storage::CachedEntry>& entries, Terminal& terminal) {
  Table table({"KEY", "TENANT", "TOOL", "CALLER", "SOURCE", "BYTES", "HITS", "EXPIRES"});
  for (const storage::CachedEntry& entry : entries)
    table.add({entry.key.substr(0, kShownKey), entry.tenant, entry.tool, entry.caller,
               entry.data_source, std::to_string(entry.bytes), std::to_string(entry.hits),
               entry.expires_at});
  table.write(terminal);
}

/// The entry with its data, where a key names one; else the list without any.
Result<std::vector<storage::CachedEntry>> entries_of(const storage::PgAccess& access,
                                                     const ShowArguments& arguments) {
  auto entries = storage::cached_entries(access, arguments.filter, arguments.rows_max);
  const bool one = entries && !arguments.filter.key.empty() && entries->size() == 1;
  return one ? storage::cached_entries(access, arguments.filter, 1) : entries;
}

/// Nothing was found under a name that no built-in tool has: a slip leaves the stale result there.
void doubt_tool(const std::string& tool, const CliSession& session) {
  if (tool.empty() || mcp::may_offer(session.config().mcp, tool)) return;
  const auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue || catalogue->find(tool) != nullptr) return;
  const auto near = nearest_word(tool, catalogue->tools().names(std::nullopt));
  session.terminal.message(printable("there is no tool '" + tool + "'" +
                                     (near ? "; did you mean '" + *near + "'?" : "")));
}

int stats(const StatsArguments& arguments, const CliSession& session) {
  const auto statistics = storage::cache_statistics(*session.database, arguments.filter);
  if (!statistics) return session.terminal.fail(statistics.error());
  if (statistics->empty()) doubt_tool(arguments.filter.tool, session);
  Table table({"TENANT", "TOOL", "ENTRIES", "EXPIRED", "BYTES", "HITS"});
  Json all = Json::array();
  for (const storage::CacheToolStatistics& one : *statistics) {
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

int show(const ShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto entries = entries_of(*session.database, arguments);
  if (!entries) return terminal.fail(entries.error());
  const bool missing = entries->empty() && !arguments.filter.key.empty();
  if (missing) {
    terminal.failure("no result is kept under the key " + printable(arguments.filter.key));
    return kExitFailed;
  }
  Json all = Json::array();
  for (const storage::CachedEntry& entry : *entries) all.push_back(as_json(entry));
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

int purge(const PurgeArguments& arguments, const CliSession& session) {
  const auto purged = storage::purge_cache(*session.database, arguments.filter);
  if (!purged) return session.terminal.fail(purged.error());
  if (*purged == 0) doubt_tool(arguments.filter.tool, session);
  if (arguments.json)
    write(session.terminal.out(), Json{{"purged", *purged}});
  else
    session.terminal.out() << *purged << (*purged == 1 ? " result" : " results") << " taken out\n";
  return kExitOk;
}

}  // namespace

Command cache_stats_command() {
  return command<StatsArguments>(
      {.name = "cache stats",
       .summary = "Count the kept results and their uses, by tenant and tool",
       .examples = "  ba-agent cache stats\n  ba-agent cache stats --tenant acme --json",
       .needs = kNeedsLedger},
      declare_stats, stats);
}

Command cache_show_command() {
  return command<ShowArguments>({.name = "cache show",
                                 .summary = "List kept results, the newest first, or show one",
                                 .notes = "The result of a key is shown with its data, in JSON.",
                                 .examples = "  ba-agent cache show --tool query_database\n"
                                             "  ba-agent cache show 489c0247 --json",
                                 .needs = kNeedsLedger},
                                declare_show, show);
}

Command cache_purge_command() {
  return command<PurgeArguments>(
      {.name = "cache purge",
       .summary = "Remove kept results, so that the next such call runs",
       .notes = "A worker may give its own copies for another tools.cache.confirm_after_ms (5 s by "
                "default).",
       .examples = "  ba-agent cache purge --tool query_database --data-source orders\n"
                   "  ba-agent cache purge --key 489c0247\n  ba-agent cache purge --all",
       .needs = kNeedsLedger},
      declare_purge, purge);
}

}  // namespace ba::cli
