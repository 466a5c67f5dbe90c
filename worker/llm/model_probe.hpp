#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a server says about itself, for `doctor`: whether it answers, and in the configured
// protocol, which models it lists, how long a conversation it takes. Costs nothing, changes
// nothing. Blocking, each request bounded by `timeout`; any thread. Messages never hold the key.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba::llm {

/// How long a conversation a compatible server really takes.
struct ServedContext {
  std::int64_t tokens = 0;
  std::string said_by;  ///< "/props", "num_ctx in /api/show"
};

struct ListedModel {
  std::string id;
  std::optional<std::int64_t> context;  ///< max_model_len, where the list has it (vLLM)
};

struct ModelProbe {
  std::vector<ListedModel> models;  ///< empty where the server lists none

  /// The entry that answers to `model_id` at this kind of server; null: none.
  const ListedModel* find(std::string_view model_id, LlmQuirks quirks) const;
};

/// Unavailable: no reply; Authentication: it refused the key; Protocol: another status than 200.
Result<ModelProbe> probe_models(const ProviderConfig& provider, Milliseconds timeout);

/// Whether there is somebody at the address of the provider's protocol, who is sent a request
/// without any content: whoever speaks the protocol refuses it. NotFound: nobody (404, 405, 501).
/// Unavailable and Authentication as of probe_models.
Result<void> probe_protocol(const ProviderConfig& provider, Milliseconds timeout);

/// The context of one model, asked for in the way of the provider's quirks. None: this kind of
/// server doesn't tell, or not in `list`. Errors as of probe_models.
Result<std::optional<ServedContext>> probe_context(const ProviderConfig& provider,
                                                   const std::string& model_id,
                                                   const ModelProbe& list, Milliseconds timeout);

}  // namespace ba::llm
