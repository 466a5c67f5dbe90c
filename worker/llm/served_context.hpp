#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long a conversation a compatible server really takes: what it says about that in replies that
// each kind of server (quirks) has of its own. Pure functions; `model_probe` asks.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/message/json_view.hpp"

namespace ba {

struct ServedContext {
  std::int64_t tokens = 0;
  std::string said_by;  ///< "/props", "num_ctx in /api/show"
};

/// llama.cpp's /props: of one slot, which is what one conversation gets.
std::optional<ServedContext> context_of_props(JsonView props);

/// Ollama's /api/ps: of a model that is loaded now.
std::optional<ServedContext> context_of_loaded(JsonView ps, std::string_view model_id);

/// Ollama's /api/show of one model: num_ctx of its Modelfile, else what Ollama takes by itself.
ServedContext context_of_show(JsonView show);

/// Ollama's name "x:latest" of a model that may be called "x", too.
bool same_ollama_model(std::string_view listed, std::string_view model_id);

}  // namespace ba
