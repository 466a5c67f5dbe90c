#pragma once
// SPDX-License-Identifier: Apache-2.0
// Parameters that name an artifact (`x-artifact: true` in their schema): which they are, and their
// data, read before the tool runs. Control thread only.

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/core/tool/byte_budget.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// The members of a schema's object that are declared so. InvalidArgument for a declaration that
/// is neither true nor false, or of something that is no text.
Result<std::vector<std::string>> artifact_parameters(std::string_view schema);

/// The ids that a call names, by parameter.
using NamedArtifacts = std::map<std::string, std::string>;

/// `arguments` fit the schema that `names` are of.
NamedArtifacts named_artifacts(const std::vector<std::string>& names,
                               const nlohmann::ordered_json& arguments);

/// Whose artifacts are read, and from where; a null store has none. What is too large to be held
/// is read where there is room for it.
struct ArtifactReader {
  ArtifactStore* store = nullptr;
  ByteBudget* budget = nullptr;  ///< not null where there is a store
  TenantId tenant;
  LedgerJobId job;
  std::optional<ItemRange> range = std::nullopt;  ///< that is enough, of an artifact in chunks
  std::function<void(bool)> waits = {};           ///< told when it begins and ends to wait for room
};

/// Reads the artifacts of one call, one after the other. Destroying it drops the answer.
class ArtifactReading {
 public:
  /// What was read, by parameter; it is held until the places go.
  struct Data {
    std::map<std::string, SharedText> texts;
    std::map<std::string, ItemRange> parts;  ///< of those that aren't whole
    std::vector<std::unique_ptr<ByteBudget::Place>> places;
  };
  using Answer = std::variant<Data, ToolError>;

  /// Answers once; from inside start() where nothing has to be read.
  ArtifactReading(ArtifactReader reader, NamedArtifacts named, std::function<void(Answer)> done);
  void start() { next(); }

 private:
  void next();
  void read(std::int64_t bytes_max);
  void answered(Result<ArtifactData> data);
  void take(ArtifactData read);

  const ArtifactReader reader_;
  NamedArtifacts left_;
  Data data_;
  std::function<void(Answer)> done_;
  Lifetime lifetime_;
};

}  // namespace ba
