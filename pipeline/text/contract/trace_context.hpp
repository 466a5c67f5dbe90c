#pragma once
// SPDX-License-Identifier: Apache-2.0
// W3C trace context, carried from a job to what it causes. Pure functions.

#include <string_view>

namespace ba {

/// Whether it is a traceparent this program passes on: version 00 to fe, lower-case hex, neither id
/// all zero (W3C Trace Context §3.2). An invalid one is ignored, never an error.
bool valid_traceparent(std::string_view text);

/// Printable ASCII, as the format demands.
bool valid_tracestate(std::string_view text);

}  // namespace ba
