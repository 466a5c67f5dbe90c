#pragma once
// SPDX-License-Identifier: Apache-2.0
// One small question to a model, for `doctor --call`: in the middle of a conversation with a tool,
// so that what a server demands of such shows. Blocking; makes its own control thread of the
// calling one.

#include <string>

#include "pipeline/base/error.hpp"
#include "worker/config/config.hpp"

namespace ba::runtime {

/// `model` is one of llm.models. The value is "provider/model: its answer", with what should be set
/// where the answer shows it. The call is paid. Of a server of chat completions that refuses the
/// request the error says with which settings it is taken, if any: that is asked with each in turn,
/// until one is answered, or may have been, which is paid. One that is set as it needs and refuses
/// only that a call came without its model's thinking is answered with that, and says so.
Result<std::string> ask_one_model(const config::LoadedConfig& loaded, const std::string& model);

}  // namespace ba::runtime
