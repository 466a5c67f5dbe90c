#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results between the core and the results topic. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "pipeline/text/contract/content_type.hpp"

namespace ba {

inline constexpr int kResultSchemaVersion = 1;

/// Equal results have equal bytes.
std::string encode_result(const JobResult& result, Encoding encoding);

/// As encode_result() in JSON, with every name that a result can have but that of an error that
/// isn't there: for whoever looks names up. decode_result() reads it, too.
std::string result_to_json(const JobResult& result);

/// For readers of the topic. `content_type` may be empty: then it is detected; framing is taken
/// off. Corrupt: not a result; InvalidArgument: of a newer major version.
Result<JobResult> decode_result(std::string_view value, std::string_view content_type);

}  // namespace ba
