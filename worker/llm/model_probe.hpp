#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a provider answers, for `doctor`: asks for its list of models, which costs nothing.
// Blocking, bounded by `timeout`; any thread.

#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba {

struct ModelProbe {
  int status = 0;                   ///< of the HTTP reply
  std::vector<std::string> models;  ///< ids; empty where the server lists none
};

/// Unavailable: no reply; Authentication: it refused the key; Protocol: another status than 200.
/// Messages never hold the key.
Result<ModelProbe> probe_models(const ProviderConfig& provider, Milliseconds timeout);

}  // namespace ba
