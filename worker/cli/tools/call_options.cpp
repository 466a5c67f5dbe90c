// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/call_options.hpp"

#include "pipeline/core/tool/tool_names.hpp"

namespace ba {

GivenArguments declare_call(CLI::App& app, ToolCallArguments& call, const char* about_args) {
  app.add_option("tool", call.tool, "The tool's name (`ba-agent tool list`)")->required();
  GivenArguments given;
  given.text = app.add_option("args", call.args, about_args);
  given.file = filter_option(app, "--args-file", call.args_file,
                             "The arguments, in a file; - is standard input")
                   ->type_name("FILE")
                   ->excludes(given.text);
  filter_option(app, "--tenant", call.tenant, "Tenant whose call it is")->capture_default_str();
  filter_option(app, "--agent", call.agent, "Agent that makes the call")->capture_default_str();
  choice_option(app, "--permission", call.permission, kPermissionNames,
                "Permission level (default: the agent's)");
  choice_option(app, "--cache-policy", call.cache_policy, kCachePolicyNames,
                "Cache policy (default: the tool's)");
  filter_option(app, "--idempotency-key", call.idempotency_key,
                "A key that stands for what the call means");
  return given;
}

}  // namespace ba
