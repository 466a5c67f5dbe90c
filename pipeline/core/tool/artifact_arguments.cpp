// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/artifact_arguments.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDeclaration = "x-artifact";
constexpr std::size_t kIdCodePoints = 80;

Result<bool> declared(const std::string& name, const Json& schema) {
  if (!schema.is_object() || !schema.contains(kDeclaration)) return false;
  const Json& declaration = schema.at(kDeclaration);
  if (!declaration.is_boolean())
    return invalid_argument("x-artifact of '" + name + "': " + declaration.dump() +
                            " is not true or false");
  const bool text = schema.contains("type") && schema.at("type") == "string";
  if (declaration.get<bool>() && !text)
    return invalid_argument("x-artifact of '" + name + "': its type must be string");
  return declaration.get<bool>();
}

ToolError ill_formed(const std::string& parameter, const std::string& id) {
  return {.type = ToolErrorType::InvalidParameters,
          .code = "INVALID_ARTIFACT_ID",
          .message = parameter + ": '" + cut_code_points(id, kIdCodePoints) +
                     "' is not the id of an artifact; such an id stands in a result after \"Data "
                     "stored as artifact:\""};
}

ToolError absent(const std::string& id) {
  return {.type = ToolErrorType::NotFound,
          .code = "ARTIFACT_NOT_FOUND",
          .message = "There is no artifact '" + id +
                     "' in this conversation: it was removed, or never was one of its results"};
}

/// In words of ours: a store's own name its address, its user, its files.
ToolError unreadable(const std::string& id, const Error& error) {
  if (error.code == ErrorCode::Corrupt)
    return {.type = ToolErrorType::DependencyError,
            .code = "ARTIFACT_DAMAGED",
            .message = "The artifact '" + id +
                       "' was damaged where it is kept: run the call that made it once more, or "
                       "go on without it"};
  return {.type = ToolErrorType::TransientError,
          .code = "ARTIFACT_UNREADABLE",
          .message = "The artifact '" + id +
                     "' can't be read now: where it is kept can't be reached at the moment"};
}

}  // namespace

Result<std::vector<std::string>> artifact_parameters(std::string_view schema) {
  std::vector<std::string> names;
  const Json document = parse_exact<Json>(schema);
  if (!document.is_object() || !document.contains("properties")) return names;
  const Json& properties = document.at("properties");
  for (auto item = properties.begin(); item != properties.end() && properties.is_object(); ++item) {
    const Result<bool> artifact = declared(item.key(), *item);
    if (!artifact) return artifact.error();
    if (*artifact) names.push_back(item.key());
  }
  return names;
}

NamedArtifacts named_artifacts(const std::vector<std::string>& names, const Json& arguments) {
  NamedArtifacts named;
  for (const std::string& name : names)
    if (arguments.contains(name) && arguments.at(name).is_string())
      named[name] = arguments.at(name).get<std::string>();
  return named;
}

/// Of chunks that a range touches; a longer one waits as a whole artifact does.
constexpr std::int64_t kRangeBytes = 3 * kHeldBytesMax;

ArtifactReading::ArtifactReading(ArtifactReader reader, NamedArtifacts named,
                                 std::function<void(Answer)> done)
    : reader_(std::move(reader)), left_(std::move(named)), done_(std::move(done)) {}

/// The last thing it does where nothing is left: its owner may destroy it from inside done.
void ArtifactReading::next() {
  if (left_.empty()) return done_(std::move(data_));
  const auto& [parameter, id] = *left_.begin();
  if (!well_formed_artifact_id(id)) return done_(ill_formed(parameter, id));
  if (reader_.store == nullptr) return done_(absent(id));
  read(reader_.range ? kRangeBytes : kHeldBytesMax);
}

void ArtifactReading::read(std::int64_t bytes_max) {
  ArtifactQuestion question{left_.begin()->second, reader_.tenant, reader_.job, reader_.range,
                            bytes_max};
  reader_.store->read(std::move(question), lifetime_.guarded([this](Result<ArtifactData> data) {
    answered(std::move(data));
  }));
}

void ArtifactReading::answered(Result<ArtifactData> data) {
  const std::string& id = left_.begin()->second;
  if (!data && data.error().code == ErrorCode::NotFound) return done_(absent(id));
  if (!data) return done_(unreadable(id, data.error()));
  if (!data->held_back) return take(std::move(*data));
  reader_.waits(true);
  data_.places.push_back(reader_.budget->enter(data->bytes, lifetime_.guarded([this] {
    reader_.waits(false);
    read(INT64_MAX);
  })));
}

void ArtifactReading::take(ArtifactData read) {
  const std::string& parameter = left_.begin()->first;
  data_.texts[parameter] = SharedText(std::move(read.data));
  if (read.part) data_.parts[parameter] = *read.part;
  left_.erase(left_.begin());
  next();
}

}  // namespace ba
