// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent tool`.
#include "pipeline/core/tool/tool_names.hpp"
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

constexpr int kTimeoutMsMax = 24 * 3'600'000;

/// An option whose value is one name of a closed set.
template <typename Enum, std::size_t N>
void choice_option(CLI::App& app, const char* name, std::optional<Enum>& value,
                   const EnumNames<Enum, N>& names, const char* about) {
  std::string allowed;
  for (const auto& [unused, text] : names)
    allowed += (allowed.empty() ? "" : ", ") + std::string(text);
  const auto problem = [&names, allowed](const std::string& text) -> std::string {
    if (value_of(names, text)) return "";
    return "\"" + text + "\" is none of " + allowed;
  };
  app.add_option_function<std::string>(
         name, [&value, &names](const std::string& text) { value = value_of(names, text); }, about)
      ->check(CLI::Validator(problem, allowed));
}

/// The tool, and what it is given; one of the two returned holds that.
struct GivenArguments {
  CLI::Option* text = nullptr;
  CLI::Option* file = nullptr;

  bool any() const { return text->count() > 0 || file->count() > 0; }
};

GivenArguments call_options(CLI::App& app, ToolCallArguments& call, const char* about_args) {
  app.add_option("tool", call.tool, "The tool's name (`ba-agent tool list`)")->required();
  GivenArguments given;
  given.text = app.add_option("args", call.args, about_args);
  given.file =
      app.add_option("--args-file", call.args_file, "The arguments, in a file; - is standard input")
          ->type_name("FILE")
          ->check(not_empty())
          ->excludes(given.text);
  app.add_option("--tenant", call.tenant, "Tenant whose call it is")
      ->capture_default_str()
      ->check(not_empty());
  app.add_option("--agent", call.agent, "Agent that makes the call")
      ->capture_default_str()
      ->check(not_empty());
  choice_option(app, "--permission", call.permission, kPermissionNames,
                "Permission level (default: the agent's)");
  choice_option(app, "--cache-policy", call.cache_policy, kCachePolicyNames,
                "Cache policy (default: the tool's)");
  app.add_option("--idempotency-key", call.idempotency_key,
                 "A key that stands for what the call means")
      ->check(not_empty());
  return given;
}

constexpr const char* kNoArguments = "args (the arguments as JSON, or -), or --args-file";

void add_list(CLI::App& tool, const Chosen& chosen) {
  CLI::App* app = command(tool, "list",
                          "The built-in tools, with effect, permission and cache; with --mcp\n"
                          "those of the configured MCP servers, too, which are asked for them",
                          "  ba-agent tool list\n  ba-agent tool list --mcp --json");
  auto arguments = std::make_shared<ToolListArguments>();
  app->add_flag("--mcp", arguments->mcp, "Connect to the MCP servers, and list their tools, too");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_describe(CLI::App& tool, const Chosen& chosen) {
  CLI::App* app = command(tool, "describe", "What a model reads of a tool: description and schema",
                          "  ba-agent tool describe query_database\n"
                          "  ba-agent tool describe query_database --agent analyst\n\n"
                          "For one of an MCP server (SERVER_TOOL), that server is asked.");
  auto arguments = std::make_shared<ToolDescribeArguments>();
  app->add_option("tool", arguments->tool, "The tool's name (`ba-agent tool list`)")->required();
  app->add_option("--agent", arguments->agent,
                  "As this agent's model reads it: with its data sources only")
      ->check(not_empty());
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_explain(CLI::App& tool, const Chosen& chosen) {
  CLI::App* app = command(
      tool, "explain",
      "Whether the guards would let a call run, what it means, and whether its result would be\n"
      "kept. Nothing is run, and no server is asked, but for that of an MCP server's tool\n"
      "(SERVER_TOOL), for its list. What names in SQL stand for, the data source decides when the\n"
      "call runs: it may refuse more, and keep less. With --jsonl, lines {\"id\", \"args\"} are\n"
      "answered in order by lines {\"id\", \"allowed\", \"cacheable\", \"key\", \"canonical\", "
      "\"reason\"};\n"
      "the key is the SHA-256 of the canonical form.",
      "  ba-agent tool explain query_database '{\"sql\": \"SELECT now()\"}'\n"
      "  ba-agent tool explain query_database --jsonl < queries.jsonl\n"
      "  ba-agent tool explain query_database --jsonl queries.jsonl | jq 'select(.allowed|not)'");
  auto arguments = std::make_shared<ToolExplainArguments>();
  const GivenArguments given =
      call_options(*app, arguments->call,
                   "The arguments as JSON, or - for standard input; with --jsonl a file (default: "
                   "standard input)");
  app->add_flag("--jsonl", arguments->jsonl, "Answer each line of a log of calls")
      ->excludes(given.file);
  json_flag(*app, arguments->json);
  app->callback([=] {
    if (!arguments->jsonl && !given.any())
      throw CLI::RequiredError(std::string(kNoArguments) + ", or --jsonl,");
    if (arguments->jsonl) arguments->file = std::exchange(arguments->call.args, "");
    chosen(*arguments);
  });
}

void add_run(CLI::App& tool, const Chosen& chosen) {
  CLI::App* app = command(
      tool, "run",
      "Call a tool now, as a job of that tenant and agent would: with the same permissions, "
      "checks\n"
      "and retries, and, where postgres.url is set, with results that were kept. It is a real "
      "call:\n"
      "a tool that writes does write.\n\n"
      "The result is printed as a model would read it. Of a large one a job keeps the whole as an\n"
      "artifact and reads a part; nothing is kept here, and \"output_level\": \"full\" among the\n"
      "arguments prints all of it. Each try that failed is told on standard error; --json prints\n"
      "the outcome alone.\n\n"
      "A tool of an MCP server is named SERVER_TOOL; the configured servers are connected to "
      "first.\n"
      "`task`, which starts sub-agents, runs in a worker only.",
      "  ba-agent tool run query_database '{\"sql\": \"SELECT count(*) FROM flights\"}'\n"
      "  ba-agent tool run query_database '{\"sql\": \"SELECT 1\"}' --cache-policy no_cache "
      "--json\n"
      "  ba-agent tool run file_write --args-file report.json   # beyond what a shell takes");
  auto arguments = std::make_shared<ToolRunArguments>();
  const GivenArguments given =
      call_options(*app, arguments->call, "The arguments as JSON, or - for standard input");
  app->add_option("--timeout-ms", arguments->timeout_ms,
                  "How long the first try may take (default: the tool's own)")
      ->check(number_from(1, kTimeoutMsMax));
  app->add_flag("--no-retry-on-timeout", arguments->no_retry_on_timeout,
                "Do not try again what took too long");
  json_flag(*app, arguments->json);
  app->callback([=] {
    if (!given.any()) throw CLI::RequiredError(kNoArguments);
    chosen(*arguments);
  });
}

}  // namespace

void add_tool(CLI::App& parent, const Chosen& chosen) {
  CLI::App* tool = command(parent, "tool", "Look at the tools and at what calls of them mean",
                           "  ba-agent tool list\n"
                           "  ba-agent tool explain query_database '{\"sql\": \"SELECT 1\"}'");
  tool->require_subcommand(1);
  add_list(*tool, chosen);
  add_describe(*tool, chosen);
  add_explain(*tool, chosen);
  add_run(*tool, chosen);
}

}  // namespace ba
