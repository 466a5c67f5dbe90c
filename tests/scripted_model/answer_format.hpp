#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a request says of the form of its answer, refused where the providers refuse it. Pure.

#include "tests/scripted_model/flat_json.hpp"
#include "tests/scripted_model/rejection.hpp"

namespace ba::scripted {

/// Anthropic's `output_config`.
Refusal check_output_config(const JsonValue& config);

/// OpenAI's `response_format`.
Refusal check_response_format(const JsonValue& format);

}  // namespace ba::scripted
