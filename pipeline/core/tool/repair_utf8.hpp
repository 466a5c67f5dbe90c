#pragma once
// SPDX-License-Identifier: Apache-2.0
// Text from outside (files, tools) made fit to be stored and sent. Pure; any thread.

#include <string>

namespace ba {

/// Each byte that is not part of well-formed UTF-8, and each NUL, replaced by U+FFFD. True when
/// there was one.
bool repair_utf8(std::string& text);

}  // namespace ba
