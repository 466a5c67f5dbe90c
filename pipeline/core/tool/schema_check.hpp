#pragma once
// SPDX-License-Identifier: Apache-2.0
// Arguments against a tool's JSON Schema (draft 7), before anything runs. Compiled once per tool.
// Messages are for a model: they name the path, the value and what is allowed, on one short line.
// Any thread; one check() at a time per object.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// Arguments as a tool gets them.
struct CheckedArguments {
  std::string parameters;  ///< compact JSON, defaults filled in, whole numbers without a fraction
  std::shared_ptr<const nlohmann::ordered_json> object;  ///< that they are
  std::optional<OutputLevel> output_level;  ///< what the model asked for; not in `parameters`
};

class SchemaCheck {
 public:
  /// InvalidArgument when `schema` is not a JSON Schema of an object, refers to another document,
  /// or declares the reserved property `output_level`.
  /// `shown`: what models see in its place, unless it is empty; the same holds for it.
  static Result<SchemaCheck> compile(std::string_view schema, std::string_view shown = {});

  SchemaCheck(SchemaCheck&&) noexcept;
  SchemaCheck& operator=(SchemaCheck&&) noexcept;
  ~SchemaCheck();

  /// The schema with the optional property `output_level` that every model sees, and
  /// without keywords of the form "x-…".
  const std::string& schema_for_models() const;

  /// InvalidArgument with a message for the model. `args` larger than `bytes_max` are not read.
  /// `read`: what they are, from whom had to look at them before; null: nobody had.
  Result<CheckedArguments> check(std::string_view args, std::int64_t bytes_max,
                                 std::shared_ptr<nlohmann::ordered_json> read = nullptr) const;

 private:
  struct Compiled;
  explicit SchemaCheck(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace ba
