#pragma once
// SPDX-License-Identifier: Apache-2.0
// One small question to a model, for `doctor --call`. Blocking; makes its own control
// thread of the calling one.

#include <string>

#include "pipeline/base/error.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// `model` is one of llm.models. The value is "provider/model: its answer". The call is paid.
Result<std::string> ask_one_model(const LoadedConfig& loaded, const std::string& model);

}  // namespace ba
