// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_tool.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/http/url.hpp"

namespace ba::mcp {
namespace {

constexpr std::size_t kNameMax = 64;
constexpr std::size_t kHashDigits = 8;

bool allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string joined(std::string_view server, std::string_view tool) {
  return std::string(server) + "_" + std::string(tool);
}

/// Of a definition's hash: another definition is another version, with results of its own.
constexpr std::size_t kVersionDigits = 16;
constexpr std::size_t kServerDigits = 8;  ///< behind the +, see configured_version()
constexpr std::size_t kNameBytes = 200;   ///< of names, as they are told

std::string_view after_plus(std::string_view version) {
  const std::size_t plus = version.find('+');
  return plus == version.npos ? std::string_view() : version.substr(plus + 1);
}

/// So is another server of the same name. Its environment and headers may be secret, so they aren't
/// part of it.
std::string version_of(const KnownTool& known, const McpServerConfig& server) {
  std::vector<std::string> asked{server.url.empty() ? "" : http::shown_url(server.url)};
  asked.insert(asked.end(), server.command.begin(), server.command.end());
  std::string version = configured_version(known.definition.hash.substr(0, kVersionDigits), asked);
  if (known.effect != EffectClass::Reconcilable) return version;
  const McpToolSettings& settings = server.tools.at(known.definition.name);
  return version + question_version(settings.key_argument, settings.status);
}

constexpr const char* kStatusChanged = "MCP_STATUS_CHANGED";
constexpr std::string_view kAnotherQuestion =
    "since this call began, what its server is asked of it has changed (mcp.servers.";

/// What a server says under another key, or another server, is nothing about the call in question.
/// Another definition doesn't matter: it is in front of the +.
std::optional<ToolError> another_question(const std::string& begun, const std::string& now,
                                          const std::string& server, const std::string& tool) {
  // Behind the server's digits older workers wrote nothing of the question.
  const bool silent = after_plus(begun).size() <= kServerDigits;
  const auto asked = after_plus(now).substr(0, silent ? kServerDigits : after_plus(now).npos);
  if (begun.empty() || after_plus(begun) == asked) return std::nullopt;
  const bool same_server =
      after_plus(begun).substr(0, kServerDigits) == after_plus(now).substr(0, kServerDigits);
  return ToolError{
      ToolErrorType::DependencyError, kStatusChanged,
      std::string(kAnotherQuestion) + plain_line(server, kNameBytes) +
          (same_server ? ".tools." + plain_line(tool, kNameBytes) +
                             ": key_argument, status_tool or status_arguments"
                       : ": command, args or url") +
          "), so that the answer could be about another one; a person has to look at the server"};
}

class AnsweredAtOnce final : public ToolRun {
 public:
  explicit AnsweredAtOnce(std::unique_ptr<Timer> timer) : timer_(std::move(timer)) {}

 private:
  std::unique_ptr<Timer> timer_;
};

/// Without its key a call could be asked about by nobody: not by this worker, nor by one that takes
/// the job over and thinks that it was sent.
ToolError key_unknown(const std::string& key_argument) {
  return {ToolErrorType::DependencyError, "MCP_KEY_UNKNOWN",
          "the server's tool doesn't take its parameter '" + plain_line(key_argument, kNameBytes) +
              "' any more, by which calls of it are known; do without it"};
}

std::optional<ToolError> unusable(const KnownTool& known) {
  if (known.refused)
    return ToolError{ToolErrorType::PermissionDenied, "MCP_TOOL_CHANGED",
                     "this tool has changed and waits for a person's approval; do without it"};
  if (!known.listed)
    return ToolError{ToolErrorType::NotFound, "MCP_TOOL_GONE",
                     "the server doesn't have this tool any more; do without it"};
  if (lost_its_key(known)) return key_unknown(known.key_argument);
  return std::nullopt;
}

}  // namespace

std::string exposed_name(std::string_view server, std::string_view tool) {
  std::string name = joined(server, tool);
  if (name.size() <= kNameMax && std::ranges::all_of(name, allowed)) return name;
  return hashed_name(server, tool);
}

std::string hashed_name(std::string_view server, std::string_view tool) {
  std::string name = joined(server, tool);
  const std::string hash = sha256_hex_of(std::string(server) + '\0' + std::string(tool));
  std::ranges::replace_if(
      name, [](char c) { return !allowed(c); }, '_');
  name.resize(std::min(name.size(), kNameMax - kHashDigits - 1));
  return name + "_" + hash.substr(0, kHashDigits);
}

McpTool::McpTool(Server& server, std::shared_ptr<const KnownTool> known)
    : server_(server), known_(std::move(known)) {
  descriptor_.name = known_->exposed;
  descriptor_.description = known_->definition.description;
  descriptor_.parameters_schema =
      without_parameter(known_->definition.check_schema, known_->key_argument);
  descriptor_.schema_for_models =
      without_parameter(known_->definition.input_schema, known_->key_argument);
  descriptor_.effect = known_->effect;
  descriptor_.permission = known_->permission;
  descriptor_.reader = true;
  descriptor_.may_be_cached = known_->may_be_cached;
  descriptor_.cache_policy = known_->cache_policy;
  descriptor_.version = version_of(*known_, server.config());
  descriptor_.timeout = server.config().timeout_max;
}

const McpToolSettings& McpTool::settings() const {
  static const McpToolSettings none;
  const auto& tools = server_.config().tools;
  const auto found = tools.find(known_->definition.name);
  return found == tools.end() ? none : found->second;
}

/// What was kept of a tool that may not be called any more isn't given either.
std::optional<ToolError> McpTool::refusal(const std::string&) const { return unusable(*known_); }

std::unique_ptr<ToolRun> McpTool::run(ToolInvocation invocation,
                                      std::function<void(RawToolResult)> done) {
  if (auto error = unusable(*known_)) {
    RawToolResult result;
    result.error = std::move(*error);
    result.never_happened = true;
    return std::make_unique<AnsweredAtOnce>(server_.executor().after(
        Milliseconds(0), [result, done = std::move(done)] { done(result); }));
  }
  CallRequest request;
  request.tool = known_->definition.name;
  request.arguments =
      with_key(parse_json(invocation.parameters).value_or(Json::object()),
               known_->takes_key ? known_->key_argument : "", invocation.idempotency_key);
  request.total_timeout = invocation.timeout;
  request.idle_timeout = std::min(server_.config().timeout, invocation.timeout);
  return server_.call(std::move(request), std::move(done));
}

StatusSource* McpTool::status_source() {
  return known_->effect == EffectClass::Reconcilable ? this : nullptr;
}

std::optional<ToolError> McpTool::unaskable(const ToolInvocation& invocation,
                                            bool has_arguments) const {
  if (auto error = another_question(invocation.begun_version, descriptor_.version,
                                    server_.config().name, known_->definition.name))
    return error;
  if (known_->status_defect.empty() && has_arguments) return std::nullopt;
  return ToolError{ToolErrorType::DependencyError, "MCP_STATUS_UNAVAILABLE",
                   has_arguments ? known_->status_defect
                                 : "the call lacks an argument that status_arguments name: without "
                                   "it another call's outcome could be told"};
}

/// Of the server as it is now: its status tool may be gone, or another than was approved.
std::unique_ptr<ToolRun> McpTool::status(ToolInvocation invocation,
                                         std::function<void(EffectStatus)> done) {
  const McpStatusRule& rule = settings().status;
  auto arguments = status_arguments(
      rule, parse_json(invocation.parameters).value_or(Json::object()), invocation.idempotency_key);
  if (auto error = unaskable(invocation, arguments.has_value())) {
    EffectStatus status;
    status.result.error = std::move(*error);
    status.result.retry_useless = status.result.error->code == kStatusChanged;
    return std::make_unique<AnsweredAtOnce>(server_.executor().after(
        Milliseconds(0), [status, done = std::move(done)] { done(status); }));
  }
  CallRequest request;
  request.tool = rule.tool;
  request.arguments = std::move(*arguments);
  request.total_timeout = descriptor_.timeout;
  request.idle_timeout = std::min(server_.config().timeout, descriptor_.timeout);
  return server_.call(std::move(request), [&rule, done = std::move(done)](RawToolResult answer) {
    done(read_status(rule, answer));
  });
}

}  // namespace ba::mcp
