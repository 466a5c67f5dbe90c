// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/tool_calls.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/call_reading.hpp"
#include "pipeline/core/tool/tool_names.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/configured_tools.hpp"
#include "worker/tools/configured_skills.hpp"

namespace ba::cli {
namespace {

Error no_such_agent(const std::string& agent, const config::AgentProfiles& agents) {
  std::vector<std::string> names;
  for (const auto& [name, profile] : agents) names.push_back(name);
  const auto near = nearest_word(agent, names);
  return usage_error("there is no agent '" + agent + "'; " +
                     (near ? "did you mean '" + *near + "'? " : "") +
                     "there are: " + joined(names));
}

/// What a worker offers to the agent's model.
bool offers(const config::AgentProfile& agent, const std::string& tool) {
  if (tool == kTaskTool) return !agent.sub_agents.empty();
  if (tool == kActivateSkillTool || tool == kDeactivateSkillTool) return !agent.skills.empty();
  const auto named = [&](std::string_view name) {
    return std::ranges::find(agent.tools, name) != agent.tools.end();
  };
  return named("*") || named(tool);
}

/// None where the tool is one of the agent's.
AllowedTools allowed_to(const config::AgentProfile& agent, const std::string& tool,
                        const ToolRegistry& known) {
  if (offers(agent, tool)) return std::nullopt;
  std::set<std::string> names(agent.tools.begin(), agent.tools.end());  // of servers of tools, too
  for (const std::string& name : known.names(std::nullopt))
    if (offers(agent, name)) names.insert(name);
  return names;
}

}  // namespace

Result<ToolRequest> tool_request(const ToolCallArguments& call, const config::Config& config,
                                 const ToolRegistry& known) {
  const auto agent = config.agents.find(call.agent);
  if (agent == config.agents.end()) return no_such_agent(call.agent, config.agents);
  ToolRequest request;
  request.call.id = ToolCallId("cli");
  request.call.name = call.tool;
  request.tenant = TenantId(call.tenant);
  request.caller_id = call.agent;
  request.allowed = allowed_to(agent->second, call.tool, known);
  request.permission = call.permission.value_or(agent->second.permission);
  request.data_sources = config::allowed_sources(config, agent->second);
  request.agent_level = agent->second.output_level;
  apply_call_settings(agent->second.tool_settings, request);
  if (call.cache_policy) request.cache_policy = call.cache_policy;
  request.given_key = call.idempotency_key;
  return request;
}

std::string too_long_arguments(std::int64_t bytes_max) {
  return "more than " + std::to_string(bytes_max) +
         " bytes, which is what the arguments of a model's call may have "
         "(llm.limits.tool_args_bytes_max)";
}

Result<std::string> given_arguments(const ToolCallArguments& call, std::int64_t bytes_max) {
  const auto most = static_cast<std::size_t>(bytes_max);
  std::string name = "the arguments";
  std::string text = call.args;
  if (!call.args_file.empty() || text == "-") {
    const InputFile input(call.args_file);
    name = input.name();
    text.clear();
    if (input.descriptor() < 0 || !input.read_all(text, most))
      return invalid_argument(input.failure());
  }
  if (text.size() > most) return usage_error(name + ": " + too_long_arguments(bytes_max));
  if (const auto at = utf8_defect(text))
    return usage_error(name + ": " + describe_utf8_defect(text, *at) +
                       "; arguments are JSON in UTF-8");
  return text;
}

GivenArguments declare_call(CLI::App& app, ToolCallArguments& call, const char* about_args) {
  app.add_option("tool", call.tool, "The tool's name (`ba-agent tool list`)")->required();
  GivenArguments given;
  given.text = app.add_option("args", call.args, about_args);
  given.file = filter_option(app, "--args-file", call.args_file,
                             "The arguments, in a file; - is standard input")
                   ->type_name("FILE")
                   ->excludes(given.text);
  filter_option(app, "--tenant", call.tenant, "Tenant of the call")->capture_default_str();
  filter_option(app, "--agent", call.agent, "Agent that makes the call")->capture_default_str();
  choice_option(app, "--permission", call.permission, kPermissionNames,
                "Permission level (default: the agent's)");
  choice_option(app, "--cache-policy", call.cache_policy, kCachePolicyNames,
                "Cache policy (default: the tool's)");
  filter_option(app, "--idempotency-key", call.idempotency_key,
                "A key that stands for the meaning of the call");
  return given;
}

CallTargets::CallTargets(const config::Config& config, const ToolRequest& request)
    : config_(config), tool_(request.call.name), agent_(request.caller_id) {
  if (tool_ != kActivateSkillTool) return;
  const SkillOffers offers =
      tools::skill_offers(config, tools::review_skills(config).skills);  // as a worker's
  skills_.offered = offered_skills(offers, request.caller_id, request.tenant.value);
}

std::optional<ToolError> CallTargets::refusal(const std::string& args_json) const {
  if (tool_ == kTaskTool)
    return sub_agent_refused(config::sub_agent_types(config_.agents), agent_,
                             text_argument(args_json, "subagent_type"));
  if (tool_ != kActivateSkillTool) return std::nullopt;
  const SkillAnswer answer = read_skill(skills_, skill_request_of(args_json));
  const auto* error = std::get_if<ToolError>(&answer);
  return error ? std::optional(*error) : std::nullopt;
}

}  // namespace ba::cli
