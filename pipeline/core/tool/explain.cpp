// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/explain.hpp"

#include <utility>

#include "pipeline/core/tool/admission.hpp"

namespace ba {

CallExplanation explain_call(const ToolRegistry& registry, const ToolRuntimeConfig& config,
                             const ToolRequest& request, const SqlReader& sql) {
  Admission admission = admit(registry, config, request);
  CallExplanation explanation;
  explanation.refused = std::move(admission.refused);
  if (explanation.refused && explanation.refused->type != ToolErrorType::PermissionDenied)
    return explanation;
  if (explanation.refused) {
    // What it means is no secret; its arguments weren't looked at yet.
    const SourcedArguments sourced = choose_source(admission.entry->tool->descriptor(),
                                                   request.data_sources, request.call.args_json);
    Result<CheckedArguments> checked = check_arguments(*admission.entry, config, sourced);
    if (!checked) return explanation;
    admission.arguments = std::move(*checked);
  } else {
    explanation.refused = admission.entry->tool->refusal(admission.arguments.parameters);
  }
  explanation.reading = read_call(*admission.entry, request, *admission.arguments.object, sql);
  return explanation;
}

}  // namespace ba
