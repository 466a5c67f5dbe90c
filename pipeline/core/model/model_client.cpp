// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/model/model_client.hpp"

#include "pipeline/base/enum_names.hpp"

namespace ba {
namespace {

constexpr EnumNames<StopReason, 6> kStops{{{StopReason::EndTurn, "end_turn"},
                                           {StopReason::ToolUse, "tool_use"},
                                           {StopReason::MaxTokens, "max_tokens"},
                                           {StopReason::Refusal, "refusal"},
                                           {StopReason::ContextExceeded, "context_exceeded"},
                                           {StopReason::Other, "other"}}};

}  // namespace

std::string_view to_string(StopReason stop) { return name_of(kStops, stop); }

}  // namespace ba
