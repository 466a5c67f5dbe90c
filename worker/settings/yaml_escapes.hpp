#pragma once
// SPDX-License-Identifier: Apache-2.0
// A defect of yaml-cpp 0.7.0 (Exp::Escape in its src/exp.cpp): the escapes \N and \_ of a quoted
// scalar become the bytes 0x85 and 0xA0 alone, which are no UTF-8. Pure function, any thread.

#include <string>

namespace ba {

/// A scalar as yaml-cpp gives it of a text that is UTF-8, with U+0085 and U+00A0 in the place of
/// such bytes.
std::string with_whole_escapes(const std::string& scalar);

}  // namespace ba
