// SPDX-License-Identifier: Apache-2.0
// `ba-agent tool list` and `ba-agent tool describe`.
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/data_sources.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/tools/server_tools.hpp"
#include "worker/cli/tools/tool_calls.hpp"

namespace ba::cli {
namespace {

struct ListArguments {
  bool mcp = false;  ///< with the tools of the configured servers
  bool json = false;
};

struct DescribeArguments {
  std::string tool;
  std::string agent;  ///< as its model reads it; empty: as any may
  bool json = false;
};

void declare_list(CLI::App& app, ListArguments& arguments) {
  app.add_flag("--mcp", arguments.mcp, "Connect to the MCP servers, and list their tools, too");
  json_flag(app, arguments.json, JsonForm::Array);
}

void declare_describe(CLI::App& app, DescribeArguments& arguments) {
  app.add_option("tool", arguments.tool, "The tool's name (`ba-agent tool list`)")->required();
  filter_option(app, "--agent", arguments.agent,
                "As this agent's model reads it: with its data sources only");
  json_flag(app, arguments.json, JsonForm::Document);
}

using Json = nlohmann::ordered_json;

Json facts_of(const ToolDescriptor& tool, const ToolCatalogue& catalogue) {
  const std::string server = catalogue.server_of(tool.name);
  std::optional<OutputLevel> level = tool.default_level;
  if (!level && tool.reader) level = OutputLevel::Full;
  return {{"name", tool.name},
          {"version", tool.version},
          {"server", server.empty() ? Json() : Json(server)},
          {"configured", catalogue.configured(tool.name)},
          {"effect", to_string(tool.effect)},
          {"permission", to_string(tool.permission)},
          {"cache_policy", to_string(tool.cache_policy)},
          {"cache_scope", to_string(tool.cache_scope)},
          {"timeout_ms", tool.timeout.count()},
          {"default_level", level ? Json(to_string(*level)) : Json()}};
}

void write(std::ostream& out, const Json& json) { out << dump_exact(json, 2) << "\n"; }

/// The schema that a model reads, with what only we read of it: how each parameter is taken.
Json parameters_of(const ToolDescriptor& tool, const ToolSpec& spec) {
  Json parameters = parse_exact_known<Json>(spec.parameters_schema);
  const Json whole = parse_exact_known<Json>(tool.parameters_schema);
  if (!whole.contains("properties") || !parameters.contains("properties")) return parameters;
  for (auto& [name, shown] : parameters["properties"].items()) {
    const auto own = whole["properties"].find(name);
    if (own == whole["properties"].end() || !own->is_object() || !shown.is_object()) continue;
    for (const auto& [key, value] : own->items())
      if (key.starts_with("x-")) shown[key] = value;
  }
  return parameters;
}

void describe(const ToolRegistry::Entry& entry, const ToolSpec& spec,
              const ToolCatalogue& catalogue, Terminal& terminal) {
  const ToolDescriptor& tool = entry.tool->descriptor();
  std::ostream& out = terminal.out();
  out << terminal.styled(Style::Bold, tool.name) << " " << tool.version;
  if (!catalogue.configured(tool.name)) out << " (not configured)";
  if (const std::string server = catalogue.server_of(tool.name); !server.empty())
    out << " of the server " << server;
  out << "\n\n" << printable(spec.description) << "\n\n";
  out << "effect        " << to_string(tool.effect) << "\n"
      << "permission    " << to_string(tool.permission) << "\n"
      << "cache policy  " << to_string(tool.cache_policy) << ", shared by "
      << (tool.cache_scope == CacheScope::Tenant ? "the tenant" : "calls of one agent") << "\n"
      << "timeout       " << tool.timeout.count() << " ms\n\n"
      << dump_exact(parameters_of(tool, spec), 2) << "\n";
}

/// As the model of the agent reads the tool; of none that is named, as any may.
Result<ToolSpec> offered(const ToolRegistry::Entry& entry, const std::string& agent,
                         const config::Config& config, const ToolRegistry& known) {
  if (agent.empty()) return entry.spec;
  const ToolDescriptor& tool = entry.tool->descriptor();
  ToolCallArguments call;
  call.tool = tool.name;
  call.agent = agent;
  const auto request = tool_request(call, config, known);
  if (!request) return request.error();
  std::optional<ToolSpec> spec;
  if (!request->allowed && request->permission >= tool.permission)
    spec = with_sources(entry.spec, tool, request->data_sources);
  if (!spec)
    return invalid_argument("agent '" + agent + "' is not offered " + tool.name + ": see agents." +
                            agent + ".tools, permission and data_sources");
  return *spec;
}

void list(const ToolCatalogue& catalogue, bool json, Terminal& terminal) {
  Table table({"TOOL", "EFFECT", "PERMISSION", "CACHE", "TIMEOUT", "CONFIGURED"});
  Json all = Json::array();
  for (const std::string& name : catalogue.tools().names(std::nullopt)) {
    const ToolDescriptor& tool = catalogue.find(name)->tool->descriptor();
    all.push_back(facts_of(tool, catalogue));
    table.add({name, std::string(to_string(tool.effect)), std::string(to_string(tool.permission)),
               std::string(to_string(tool.cache_policy)),
               std::to_string(tool.timeout.count()) + " ms",
               catalogue.configured(name) ? "yes" : "no"});
  }
  if (json)
    write(terminal.out(), all);
  else
    table.write(terminal);
}

int list_tools(const ListArguments& arguments, const CliSession& session) {
  if (!arguments.mcp) {
    const auto catalogue = ToolCatalogue::make(session.config());
    if (!catalogue) return session.terminal.fail(catalogue.error());
    list(*catalogue, arguments.json, session.terminal);
    return kExitOk;
  }
  const auto full = catalogue_with_all(session);
  if (!full) return session.terminal.fail(full.error());
  list(full->catalogue, arguments.json, session.terminal);
  return full->all_up ? kExitOk : kExitUnavailable;
}

int describe_tool(const DescribeArguments& arguments, const CliSession& session) {
  const auto catalogue = catalogue_with(arguments.tool, session);
  if (!catalogue) return session.terminal.fail(catalogue.error());
  const ToolRegistry::Entry* entry = catalogue->find(arguments.tool);
  if (!entry)
    return session.terminal.fail(no_such_tool(*catalogue, session.config(), arguments.tool));
  const auto spec = offered(*entry, arguments.agent, session.config(), catalogue->tools());
  if (!spec) return session.terminal.fail(spec.error());
  if (!arguments.json) {
    describe(*entry, *spec, *catalogue, session.terminal);
    return kExitOk;
  }
  Json facts = facts_of(entry->tool->descriptor(), *catalogue);
  facts["description"] = spec->description;
  facts["parameters"] = parameters_of(entry->tool->descriptor(), *spec);
  write(session.terminal.out(), facts);
  return kExitOk;
}

}  // namespace

Command tool_list_command() {
  return command<ListArguments>(
      {.name = "tool list",
       .summary = "List the built-in tools, with effect, permission and cache",
       .notes = "With --mcp the configured MCP servers are asked for their tools, too.",
       .examples = "  ba-agent tool list\n  ba-agent tool list --mcp --json"},
      declare_list, list_tools);
}

Command tool_describe_command() {
  return command<DescribeArguments>(
      {.name = "tool describe",
       .summary = "Print the description and the schema of a tool, as a model reads them",
       .notes = "For a tool of an MCP server (SERVER_TOOL), that server is asked.",
       .examples = "  ba-agent tool describe query_database\n"
                   "  ba-agent tool describe query_database --agent analyst"},
      declare_describe, describe_tool);
}

}  // namespace ba::cli
