#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a plain ReAct loop would show a tool's data: what savings are reckoned against
// (pipeline/core/job/README.md). Pure; any thread.

#include <cstddef>
#include <string>

#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// A plain loop cuts a result there; the one of `ops/bench economy` too.
inline constexpr std::size_t kPlainResultBytesMax = 256 * 1024;

/// Indented JSON; of data that is one text, that text. Of a long array no more rows are written
/// than are needed.
std::string plain_text(const OrderedJson& data);

}  // namespace ba
