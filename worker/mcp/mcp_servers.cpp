// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_servers.hpp"

#include <algorithm>
#include <utility>

#include "worker/mcp/http_transport.hpp"
#include "worker/mcp/stdio_transport.hpp"

namespace ba::mcp {
namespace {

ChildCommand command_of(const McpServerConfig& config) {
  ChildCommand command;
  command.arguments = config.command;
  for (auto& [name, value] : inherited_environment())
    if (!config.env.contains(name)) command.environment.emplace_back(name, value);
  for (const auto& [name, value] : config.env)
    command.environment.emplace_back(name, value.reveal());
  return command;
}

http::HttpEndpointConfig endpoint_of(const McpServerConfig& config) {
  http::HttpEndpointConfig endpoint;
  endpoint.url = config.url;
  for (const auto& [name, value] : config.headers) endpoint.headers.emplace_back(name, value);
  endpoint.connect_timeout = config.connect_timeout;
  endpoint.reply_bytes_max = config.message_bytes_max;
  endpoint.concurrency_max = config.concurrency_max;
  endpoint.ca_file = config.ca_file;
  return endpoint;
}

std::string state_text(const Server& server) {
  return server.state() == Server::State::Ready ? "ready" : "down";
}

}  // namespace

MakeTransport real_transports(boost::asio::io_context& io, Executor& executor,
                              http::HttpClient& http, Log& log) {
  return [&io, &executor, &http,
          &log](const McpServerConfig& config) -> Result<std::unique_ptr<Transport>> {
    if (config.command.empty()) return make_http_transport(endpoint_of(config), http, executor);
    StdioOptions options;
    options.server = config.name;
    options.command = command_of(config);
    options.line_bytes_max = static_cast<std::size_t>(config.message_bytes_max);
    return make_stdio_transport(std::move(options), io, executor, log);
  };
}

McpServers::McpServers(const McpConfig& config, McpPorts ports)
    : config_(config), ports_(std::move(ports)) {
  for (const McpServerConfig& server : config_.servers) {
    if (!server.enabled) continue;
    Entry& entry = *entries_.emplace_back(std::make_unique<Entry>());
    entry.catalog = std::make_unique<Catalog>(server);
    const ServerPorts server_ports{ports_.executor, ports_.log, ports_.make_transport,
                                   ClientIdentity{ports_.version, Elicitation::Decline}};
    entry.server = std::make_unique<Server>(
        server, server_ports, [this, &entry](const ToolList& list) { take(entry, list); });
  }
}

McpServers::~McpServers() = default;

void McpServers::start() {
  for (const auto& entry : entries_) entry->server->start();
}

bool McpServers::settled() const {
  return std::ranges::all_of(entries_, [](const auto& entry) { return entry->server->settled(); });
}

Milliseconds McpServers::patience() const {
  Milliseconds longest{0};
  for (const auto& entry : entries_)
    longest = std::max(longest, entry->server->config().connect_timeout);
  return longest;
}

void McpServers::stop(std::function<void()> done) {
  if (entries_.empty()) return ports_.executor.post(std::move(done));
  auto left = std::make_shared<std::size_t>(entries_.size());
  for (const auto& entry : entries_)
    entry->server->stop([left, done] {
      if (--*left == 0) done();
    });
}

void McpServers::take(Entry& entry, const ToolList& list) {
  const std::string& server = entry.server->config().name;
  CatalogChange change = entry.catalog->take(list);
  entry.warnings = std::move(change.warnings);
  bool added = false;
  for (const auto& tool : change.added) added = add(entry, tool) || added;
  for (const std::string& warning : entry.warnings)
    ports_.log.warning("a server of tools", {{"server", server}, {"message", warning}});
  if (added) ports_.on_tools_added();
}

/// A taken name gets the form with a hash, which stays the same whoever comes first next time.
bool McpServers::add(Entry& entry, const std::shared_ptr<KnownTool>& tool) {
  const std::string& server = entry.server->config().name;
  const std::string& name = tool->definition.name;
  tool->exposed = exposed_name(server, name);
  auto added = ports_.add_tool(std::make_unique<McpTool>(*entry.server, tool));
  if (!added && added.error().code == ErrorCode::Conflict) {
    const std::string taken = std::exchange(tool->exposed, hashed_name(server, name));
    entry.warnings.push_back("tool '" + name + "' is called " + tool->exposed + ", because " +
                             taken + " is another tool");
    added = ports_.add_tool(std::make_unique<McpTool>(*entry.server, tool));
  }
  if (added && *added) return true;
  if (!added) entry.warnings.push_back(added.error().message);
  tool->exposed.clear();
  return false;
}

std::vector<McpServerReport> McpServers::report() const {
  std::vector<McpServerReport> out;
  for (const auto& entry : entries_) out.push_back(report_of(*entry));
  for (const McpServerConfig& server : config_.servers)
    if (!server.enabled) {
      McpServerReport& report = out.emplace_back();
      report.name = server.name;
      report.transport = server.command.empty() ? "http" : "stdio";
      report.state = "disabled";
    }
  return out;
}

McpServerReport McpServers::report_of(const Entry& entry) const {
  const Server& server = *entry.server;
  McpServerReport report;
  report.name = server.config().name;
  report.transport = server.config().command.empty() ? "http" : "stdio";
  report.state = state_text(server);
  report.failure = server.settled() ? server.failure() : "no answer yet";
  report.warnings = entry.warnings;
  report.unexpected_answers = server.counts().unexpected_answers;
  report.garbage = server.counts().garbage;
  for (const auto& [name, tool] : entry.catalog->tools())
    report.tools.push_back({name,
                            tool->exposed,
                            tool->definition.hash,
                            tool->effect,
                            tool->permission,
                            tool->refused,
                            {}});
  if (report.state != "ready") return report;
  report.era = to_string(server.facts().era);
  report.revision = server.facts().revision;
  report.server_name = server.facts().name;
  report.server_version = server.facts().version;
  return report;
}

}  // namespace ba::mcp
