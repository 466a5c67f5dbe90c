#pragma once
// SPDX-License-Identifier: Apache-2.0
// What makes statements at a data source fail whatever they say. A value.

#include <string>

namespace ba {

struct SourceHindrance {
  std::string what;    ///< "the login role can't become role acme of a tenant"
  std::string remedy;  ///< "GRANT acme TO reader"

  std::string text() const { return what + ": " + remedy; }

  friend bool operator==(const SourceHindrance&, const SourceHindrance&) = default;
};

}  // namespace ba
