#pragma once
// SPDX-License-Identifier: Apache-2.0
// Finds what a JSON Schema says of a member or an item: through references within the document
// and through allOf, anyOf and oneOf. Borrows the document. Pure; any thread.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ba {

class SchemaWalk {
 public:
  using Json = nlohmann::ordered_json;

  /// `root` outlives the walk: "#/…" is looked up in it.
  explicit SchemaWalk(const Json& root) : root_(root) {}

  /// What a `$ref` within the document leads to, or the schema itself. Null stays null; so does a
  /// reference that leads nowhere or round in a circle.
  const Json* resolve(const Json* schema) const;

  /// The schema of the member `name` of an object, or null.
  const Json* property(const Json* schema, const std::string& name) const;

  /// The schema of item `index` of an array, or null.
  const Json* item(const Json* schema, std::size_t index) const;

 private:
  const Json* own_property(const Json& schema, const std::string& name) const;
  const Json* property_within(const Json* schema, const std::string& name, int depth) const;

  const Json& root_;
};

}  // namespace ba
