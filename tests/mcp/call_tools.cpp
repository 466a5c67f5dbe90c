// SPDX-License-Identifier: Apache-2.0
// Calls tools of configured servers through the worker's own tools. Takes a configuration file and
// orders on standard input, one JSON a line: {"tool": NAME, "arguments": {}} with an optional
// "timeout_ms", {"await": NAME} for a tool that comes later, {"report": true}. Answers one line
// each.
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "pipeline/core/tool/registry.hpp"
#include "tests/support/asio_loop.hpp"
#include "worker/config/load_config.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/mcp/mcp_servers.hpp"

namespace ba::mcp {
namespace {

constexpr Milliseconds kLimit{60'000};

class ErrorLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel, std::string_view text, Fields fields) override {
    std::cerr << text;
    for (const LogField& field : fields)
      if (const auto* value = std::get_if<std::string_view>(&field.value))
        std::cerr << " " << field.name << "=" << *value;
    std::cerr << "\n";
  }
};

class Caller {
 public:
  explicit Caller(const mcp::McpConfig& config)
      : http_(http::make_curl_http_client(loop_.io)),
        servers_(config,
                 mcp::McpPorts{loop_, log_, mcp::real_transports(loop_.io, loop_, *http_, log_),
                               "test", [this](tools::MadeTool tool) {
                                 return tools::add_as_set(std::move(tool), {}, tools_);
                               }}) {
    servers_.start();
    loop_.run_until([this] { return servers_.settled(); }, servers_.patience());
  }

  ~Caller() {
    bool stopped = false;
    servers_.stop([&stopped] { stopped = true; });
    loop_.run_until([&stopped] { return stopped; }, kLimit);
  }

  mcp::Json perform(const mcp::Json& order) {
    if (const auto name = mcp::text_member(order, "await"))
      return loop_.run_until([&] { return tools_.find(*name) != nullptr; }, kLimit);
    if (mcp::member(order, "report") != nullptr) return report();
    const auto name = mcp::text_member(order, "tool");
    const ToolRegistry::Entry* entry = name ? tools_.find(*name) : nullptr;
    if (entry == nullptr) return {{"missing", name.value_or("")}};
    return call(*entry->tool, order);
  }

 private:
  mcp::Json call(Tool& tool, const mcp::Json& order) {
    ToolInvocation invocation;
    if (const mcp::Json* arguments = mcp::member(order, "arguments"))
      invocation.parameters = mcp::compact(*arguments);
    invocation.timeout = Milliseconds(mcp::integer_member(order, "timeout_ms").value_or(30'000));
    std::optional<RawToolResult> result;
    const auto run =
        tool.run(invocation, [&result](RawToolResult got) { result = std::move(got); });
    if (!loop_.run_until([&result] { return result.has_value(); }, kLimit)) return "silence";
    mcp::Json out = {{"outcome_unknown", result->outcome_unknown}};
    if (result->error)
      out["error"] = {{"type", to_string(result->error->type)},
                      {"code", result->error->code},
                      {"message", result->error->message}};
    else
      out["data"] = *mcp::parse_json(result->data);
    return out;
  }

  mcp::Json report() {
    mcp::Json out = mcp::Json::array();
    for (const mcp::McpServerReport& server : servers_.report())
      out.push_back({{"name", server.name},
                     {"state", server.state},
                     {"era", server.era},
                     {"tools", server.tools.size()},
                     {"warnings", server.warnings}});
    return out;
  }

  AsioLoop loop_;
  ErrorLog log_;
  std::unique_ptr<http::HttpClient> http_;
  ToolRegistry tools_;
  mcp::McpServers servers_;
};

int run(const std::string& file) {
  config::ConfigSources sources;
  sources.file = file;
  const config::LoadedConfig loaded = config::load_config(sources);
  for (const std::string& error : loaded.findings.errors()) std::cerr << error << "\n";
  if (!loaded.usable()) return EXIT_FAILURE;
  Caller caller(loaded.config.mcp);
  for (std::string line; std::getline(std::cin, line);)
    std::cout << mcp::compact(caller.perform(*mcp::parse_json(line))) << std::endl;
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace ba::mcp

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc == 2) return ba::mcp::run(argv[1]);
  std::cerr << "usage: ba-mcp-call-tools CONFIG\n";
  return EXIT_FAILURE;
}
