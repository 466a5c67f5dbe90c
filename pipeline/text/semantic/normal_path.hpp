#pragma once
// SPDX-License-Identifier: Apache-2.0
// A file's path in its one way of writing. Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// NFC, without "." segments, doubled or trailing slashes, and with each ".." taken together with
/// the segment before it, which is the same file where no segment is a link. A ".." that nothing
/// stands before stays: such a path leads out of its root, and is refused by whoever opens it.
std::string normal_path(std::string_view path);

}  // namespace ba
