#pragma once
// SPDX-License-Identifier: Apache-2.0
// What an admitted call means: its key, and whether its result may be kept. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pipeline/core/tool/registry.hpp"
#include "pipeline/core/tool/result_cache.hpp"
#include "pipeline/core/tool/tool_request.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "pipeline/text/semantic/semantic_parameters.hpp"

namespace ba {

struct CallReading {
  SemanticKey key;
  CachePolicy policy = CachePolicy::NoCache;  ///< the call's, else the tool's
  std::optional<std::string> not_cacheable;   ///< why its result isn't kept; none: it is
};

/// `arguments` are those that the entry's schema has accepted, read.
CallReading read_call(const ToolRegistry::Entry& entry, const ToolRequest& request,
                      const nlohmann::ordered_json& arguments, const SqlReader& sql);

/// A text among the parameters; empty where there is none of that name.
std::string text_argument(const std::string& parameters, const std::string& name);
std::string text_among(const nlohmann::ordered_json& arguments, const std::string& name);

/// What the result cache is asked for such a call.
CacheQuestion cache_question(const ToolRegistry::Entry& entry, const ToolRequest& request,
                             const nlohmann::ordered_json& arguments, const CallReading& reading);

}  // namespace ba
