#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON text to a tree and back, for documents of any width: objects of a million members are read
// in linear time. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/encoding/encoding_limits.hpp"
#include "pipeline/text/encoding/ordered_json.hpp"

namespace ba {

/// One JSON value (RFC 8259) within encoding_limits.hpp. Every number
/// stays as it is written (base/kept_number.hpp); of members of the same name the last counts, in
/// the place of the first.
Result<OrderedJson> read_json_document(std::string_view text, int depth_max = kEncodedDepthMax);

/// Compact, members in their order, nothing escaped that needn't be.
std::string write_json_document(const OrderedJson& value);

}  // namespace ba
