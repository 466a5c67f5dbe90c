// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent cache`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

void filter_options(CLI::App& app, CacheFilter& filter) {
  app.add_option("--tenant", filter.tenant, "Only this tenant's")->check(not_empty());
  app.add_option("--tool", filter.tool, "Only this tool's")->check(not_empty());
  app.add_option("--data-source", filter.data_source,
                 "Only of this data source, or index of vector_search")
      ->check(not_empty());
  app.add_flag("--expired", filter.expired_only, "Only what has expired");
}

void add_stats(CLI::App& cache, const Chosen& chosen) {
  CLI::App* app =
      command(cache, "stats", "How much is kept, by tenant and tool, and how it is used",
              "  ba-agent cache stats\n  ba-agent cache stats --tenant acme --json");
  auto arguments = std::make_shared<CacheStatsArguments>();
  filter_options(*app, arguments->filter);
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_show(CLI::App& cache, const Chosen& chosen) {
  CLI::App* app =
      command(cache, "show", "Kept results, the newest first; of one key, with its data",
              "  ba-agent cache show --tool query_database\n"
              "  ba-agent cache show 489c0247 --json");
  auto arguments = std::make_shared<CacheShowArguments>();
  app->add_option("key", arguments->filter.key, "A key, or its beginning")->check(not_empty());
  filter_options(*app, arguments->filter);
  app->add_option("--max", arguments->rows_max, "At most this many")
      ->capture_default_str()
      ->check(number_from(1, 100'000));
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_purge(CLI::App& cache, const Chosen& chosen) {
  CLI::App* app = command(
      cache, "purge",
      "Take results out, so that the next such call runs. A worker gives what it holds itself for\n"
      "tools.cache.confirm_after_ms more (5 s by default)",
      "  ba-agent cache purge --tool query_database --data-source orders\n"
      "  ba-agent cache purge --key 489c0247\n  ba-agent cache purge --all");
  auto arguments = std::make_shared<CachePurgeArguments>();
  app->add_option("--key", arguments->filter.key, "A key, or its beginning")->check(not_empty());
  filter_options(*app, arguments->filter);
  app->add_flag("--all", arguments->all, "Everything");
  json_flag(*app, arguments->json);
  app->callback([=] {
    if (arguments->all == !arguments->filter.any())
      throw CLI::RequiredError(
          "--all, or at least one of --key, --tenant, --tool, --data-source "
          "and --expired,");
    chosen(*arguments);
  });
}

}  // namespace

void add_cache(CLI::App& parent, const Chosen& chosen) {
  CLI::App* cache = command(parent, "cache", "Look into the results of tools that are kept",
                            "  ba-agent cache stats\n  ba-agent cache purge --tool query_database");
  cache->require_subcommand(1);
  add_stats(*cache, chosen);
  add_show(*cache, chosen);
  add_purge(*cache, chosen);
}

}  // namespace ba
