#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether others on the machine may read or write a file that holds a secret. Only the bits of
// "others" are looked at, of the file that a link leads to: a group may read it (root and the
// worker's). Any thread.

#include <string>

namespace ba {

/// "others may read it (mode 0644): chmod o-rwx /run/key"; empty: they may not, or nobody can tell.
std::string exposure_of(const std::string& file);

}  // namespace ba
