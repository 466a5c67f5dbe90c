// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/sub_agent_terms.hpp"

#include <algorithm>

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/data_sources.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/text/contract/encode_job.hpp"

namespace ba::driver {
namespace {

constexpr std::size_t kIdDigits = 16;

std::string call_id_of(const SubAgentRequest& request) { return request.key.substr(0, kIdDigits); }

ToolError not_allowed(std::string message) {
  return {.type = ToolErrorType::PermissionDenied,
          .code = "SUB_AGENT_NOT_ALLOWED",
          .message = std::move(message)};
}

/// What is left of a limit; 0 would mean the profile's own.
template <typename T>
T left(T own, T limit, T used) {
  return std::max<T>(T{1}, std::min<T>(own, limit - used));
}

JobLimits limits_of(const RunProfile& profile, const SubAgentTerms& terms) {
  const EffectiveLimits& asking = terms.asking.profile.limits;
  const JobTotals& used = terms.asking.bill.totals;
  JobLimits limits;
  limits.tokens_max = left(profile.limits.tokens_max, asking.tokens_max, used.usage.total());
  limits.cost_micro_usd_max =
      left(profile.limits.cost_micro_usd_max, asking.cost_micro_usd_max, used.cost_micro_usd);
  limits.deadline = std::max(Milliseconds(1), std::min(profile.limits.deadline, terms.time_left));
  return limits;
}

/// Of a job that may use some tools only, each of its sub-agents' too.
std::vector<std::string> allowed_of_both(const Job& asking, const RunProfile& profile) {
  std::vector<std::string> names;
  for (const ToolSpec& tool : profile.tools)
    if (tool.name != kTaskTool &&
        std::count(asking.allowed_tools.begin(), asking.allowed_tools.end(), tool.name) > 0)
      names.push_back(tool.name);
  return names;
}

Job job_of(const SubAgentRequest& request, const SubAgentTerms& terms) {
  const Job& asking = terms.asking.job;
  Job job;
  job.tenant = asking.tenant;
  job.job_id = JobId(std::string(kSubAgentPrefix) + call_id_of(request));
  job.conversation_id = ConversationId(std::string(kSubAgentPrefix) + agent_id_of(request));
  job.user_id = asking.user_id;
  job.messages = {request.prompt};
  job.agent = request.type;
  job.model = asking.model;
  job.lane = asking.lane;
  job.metadata = {{"description", request.description}};
  job.created_at = terms.now;
  job.traceparent = asking.traceparent;
  job.tracestate = asking.tracestate;
  return job;
}

/// Those of its tools that read artifacts.
std::vector<ArtifactTool> artifact_tools(const RunProfile& profile, const Job& job,
                                         const ToolRegistry& registry) {
  std::vector<ArtifactTool> readers;
  for (const ToolSpec& spec : profile.tools) {
    const bool allowed = job.allowed_tools.empty() ||
                         std::ranges::find(job.allowed_tools, spec.name) != job.allowed_tools.end();
    const auto* entry = registry.find(spec.name);
    if (allowed && entry && !entry->artifact_parameters.empty())
      readers.push_back({spec.name, entry->artifact_parameters.front()});
  }
  return readers;
}

/// What comes with the question stands below it.
void tell_artifact(SubAgentOrder& order, const RunProfile& profile, const SubAgentRequest& request,
                   const SubAgentTerms& terms) {
  if (!request.artifact) return;
  std::vector<ArtifactTool> readers;
  if (terms.registry != nullptr) {
    const SubAgentBounds bounds{request.permission_max, terms.asking.profile.data_sources};
    readers = artifact_tools(sub_agent_profile(profile, bounds, *terms.registry), order.job,
                             *terms.registry);
  }
  std::string& question = order.job.messages.front();
  question = with_artifact(std::move(question), *request.artifact, readers);
}

}  // namespace

std::string agent_id_of(const SubAgentRequest& request) {
  return request.agent_id.empty() ? call_id_of(request) : request.agent_id;
}

std::variant<SubAgentOrder, ToolError> sub_agent_order(const SubAgentRequest& request,
                                                       const SubAgentTerms& terms) {
  if (terms.asking.claim.asked_by) return not_allowed("A sub-agent has no sub-agents of its own");
  SubAgentOrder order;
  order.asked_by = request.asked_by;
  order.resumes = !request.agent_id.empty();
  order.job = job_of(request, terms);
  const auto profile = terms.agents.profile_for(order.job);
  if (!profile) return not_allowed(profile.error().message);
  if (!terms.asking.job.allowed_tools.empty() && !profile->tools.empty()) {
    order.job.allowed_tools = allowed_of_both(terms.asking.job, *profile);
    if (order.job.allowed_tools.empty())
      return not_allowed("The job's allowed_tools have no tool of agent '" + request.type + "'");
  }
  order.job.limits = limits_of(*profile, terms);
  tell_artifact(order, *profile, request, terms);
  order.payload = encode_job(order.job);
  return order;
}

RunProfile sub_agent_profile(RunProfile profile, const SubAgentBounds& bounds,
                             const ToolRegistry& registry) {
  profile.permission = std::min(profile.permission, bounds.permission);
  profile.job_time = bounds.job_time;
  if (!profile.data_sources)
    profile.data_sources = bounds.data_sources;
  else if (bounds.data_sources)
    std::erase_if(*profile.data_sources, [&](const std::string& source) {
      return !bounds.data_sources->contains(source);
    });
  std::vector<ToolSpec> offered;
  for (const ToolSpec& spec : profile.tools) {
    const auto* entry = registry.find(spec.name);
    auto narrowed =
        entry ? with_sources(spec, entry->tool->descriptor(), profile.data_sources) : spec;
    if (narrowed) offered.push_back(std::move(*narrowed));
  }
  std::erase_if(offered, [&](const ToolSpec& spec) {
    const auto* entry = registry.find(spec.name);
    return spec.name == kTaskTool ||
           (entry && entry->tool->descriptor().permission > profile.permission);
  });
  profile.tools = std::move(offered);
  profile.on_unknown = OnUnknown::TellModel;
  return profile;
}

}  // namespace ba::driver
