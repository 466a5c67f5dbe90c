#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a schema of answers has the form that providers can hold a model to by themselves.
// Pure; any thread.

#include <string_view>

namespace ba {

struct ClosedForm {
  bool object = false;  ///< the answer is an object
  /// So it is, and every object in it names all its properties and allows no others; it uses
  /// only what every provider knows: type, properties, required, items, enum, const, anyOf,
  /// references within it, titles and descriptions.
  bool closed = false;
  bool all_required = false;  ///< every property is
  bool recursive = false;     ///< it contains itself

  friend bool operator==(const ClosedForm&, const ClosedForm&) = default;
};

/// Of a schema that answers can be checked against; of any other one nothing is so.
ClosedForm closed_form(std::string_view schema);

}  // namespace ba
