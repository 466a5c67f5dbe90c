// SPDX-License-Identifier: Apache-2.0
// The worker's client of tool servers as the official conformance suite wants one: it is given a
// URL, connects, lists the tools and calls them. What a scenario wants beyond that stands in
// MCP_CONFORMANCE_CONTEXT. Ends with 0 when the server could be talked to.
#include <cstdlib>
#include <iostream>
#include <optional>

#include "tests/support/asio_loop.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/mcp/call.hpp"
#include "worker/mcp/http_transport.hpp"

namespace ba::mcp {
namespace {

constexpr Milliseconds kLimit{20'000};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Something that fits a property.
mcp::Json sample(const mcp::Json& property) {
  const std::string type = mcp::text_member(property, "type").value_or("string");
  if (type == "number" || type == "integer") return 5;
  if (type == "boolean") return true;
  if (type == "array") return mcp::Json::array();
  if (type == "object") return mcp::Json::object();
  return "sample";
}

mcp::Json sample_arguments(const mcp::ToolDefinition& tool) {
  mcp::Json arguments = mcp::Json::object();
  const auto schema = mcp::parse_json(tool.input_schema);
  const mcp::Json* required = schema ? mcp::member(*schema, "required") : nullptr;
  const mcp::Json* properties = schema ? mcp::member(*schema, "properties") : nullptr;
  if (required == nullptr || properties == nullptr) return arguments;
  for (const mcp::Json& name : *required)
    if (const mcp::Json* property = mcp::member(*properties, name.get<std::string>()))
      arguments[name.get<std::string>()] = sample(*property);
  return arguments;
}

struct PlannedCall {
  std::string tool;
  mcp::Json arguments;
};

std::vector<PlannedCall> planned_calls(const mcp::ToolList& list) {
  std::vector<PlannedCall> calls;
  const auto context = mcp::parse_json(variable("MCP_CONFORMANCE_CONTEXT"));
  if (const mcp::Json* given = context ? mcp::member(*context, "toolCalls") : nullptr) {
    for (const mcp::Json& call : *given)
      calls.push_back(
          {mcp::text_member(call, "name").value_or(""), *mcp::member(call, "arguments")});
    return calls;
  }
  for (const mcp::ToolDefinition& tool : list.tools)
    calls.push_back({tool.name, sample_arguments(tool)});
  // A tool that echoes a schema is given the schema of the one before it.
  for (std::size_t i = 1; i < calls.size(); ++i)
    if (calls[i].tool == "json_schema_echo")
      calls[i].arguments["schema"] = *mcp::parse_json(list.tools[i - 1].input_schema);
  return calls;
}

class Client {
 public:
  Client(std::unique_ptr<mcp::Transport> transport, AsioLoop& loop)
      : loop_(loop), transport_(std::move(transport)) {
    mcp::ClientIdentity identity;
    identity.version = "conformance";
    if (variable("MCP_CONFORMANCE_SCENARIO") == "elicitation-sep1034-client-defaults")
      identity.elicitation = mcp::Elicitation::AcceptDefaults;
    session_ = std::make_shared<mcp::Session>(
        *transport_, loop_, identity, mcp::SessionOptions{},
        mcp::Session::Events{[this](Result<mcp::ToolList> list) { list_.emplace(std::move(list)); },
                             [](mcp::ToolList) {}, [](Error) {}});
  }

  bool run() {
    session_->connect();
    if (!loop_.run_until([this] { return list_.has_value(); }, kLimit)) return complain("silence");
    if (!*list_) return complain(list_->error().message);
    std::cerr << "era " << to_string(session_->facts().era) << ", revision "
              << session_->facts().revision << "\n";
    for (const std::string& warning : (*list_)->warnings) std::cerr << warning << "\n";
    for (const PlannedCall& call : planned_calls(**list_)) perform(call);
    bool stopped = false;
    transport_->stop([&stopped] { stopped = true; });
    return loop_.run_until([&stopped] { return stopped; }, kLimit);
  }

 private:
  static bool complain(const std::string& why) {
    std::cerr << why << "\n";
    return false;
  }

  void perform(const PlannedCall& planned) {
    std::optional<RawToolResult> result;
    mcp::CallRequest request;
    request.tool = planned.tool;
    request.arguments = planned.arguments;
    const mcp::Call call(session_, std::move(request),
                         [&result](RawToolResult answer) { result = std::move(answer); });
    loop_.run_until([&result] { return result.has_value(); }, kLimit);
    const bool failed = !result || result->error;
    std::cerr << planned.tool << ": "
              << (failed ? result ? result->error->code + " " + result->error->message : "silence"
                         : result->data)
              << "\n";
  }

  AsioLoop& loop_;
  std::unique_ptr<mcp::Transport> transport_;
  std::shared_ptr<mcp::Session> session_;
  std::optional<Result<mcp::ToolList>> list_;
};

int run(const std::string& url) {
  AsioLoop loop;
  const auto http = http::make_curl_http_client(loop.io);
  http::HttpEndpointConfig endpoint;
  endpoint.url = url;
  auto transport = mcp::make_http_transport(std::move(endpoint), *http, loop);
  if (!transport) {
    std::cerr << transport.error().message << "\n";
    return EXIT_FAILURE;
  }
  Client client(std::move(*transport), loop);
  return client.run() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace ba::mcp

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: ba-mcp-conformance-client URL\n";
    return EXIT_FAILURE;
  }
  return ba::mcp::run(argv[argc - 1]);
}
