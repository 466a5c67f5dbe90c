#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a tool is: a descriptor and a function. And what a call of it carries. Values, but for the
// Tool interface: implementations live in worker/tools, are owned by the process and called on the
// control thread only.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "pipeline/core/tool/tool_result.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

enum class PermissionLevel { Restricted, Default, Admin };
enum class CachePolicy { NoCache, Cacheable, TtlShort, TtlMedium, TtlLong };

/// Who shares a cached result: everyone of the tenant, or only calls of the same caller.
enum class CacheScope { Caller, Tenant };

/// What a crash during a call means for it (docs/internals/effects.md). A tool that declares
/// nothing: Once.
enum class EffectClass {
  Pure,          ///< run again
  Keyed,         ///< run again with the same idempotency key
  Reconcilable,  ///< ask its status
  Once,          ///< never run again: the outcome is unknown
};

std::string_view to_string(PermissionLevel level);
std::string_view to_string(CachePolicy policy);
std::string_view to_string(CacheScope scope);
std::string_view to_string(EffectClass effect);
std::optional<EffectClass> parse_effect_class(std::string_view text);

/// How long a result is kept; 0: it isn't.
Milliseconds time_to_live(CachePolicy policy);

/// A data source of a tool, with what the model reads of it.
struct SourceText {
  std::string name;
  std::string text;

  friend bool operator==(const SourceText&, const SourceText&) = default;
};

struct ToolDescriptor {
  std::string name;  ///< [a-zA-Z0-9_-]{1,64}
  std::string version = "1.0.0";
  std::string description;               ///< what the model reads, before its `sources`
  std::string parameters_schema = "{}";  ///< JSON Schema (draft 7) of an object, as JSON text
  /// What models see in its place, for a tool whose own schema is of another draft. Empty: the
  /// same.
  std::string schema_for_models;
  EffectClass effect = EffectClass::Once;
  PermissionLevel permission = PermissionLevel::Default;  ///< at least this
  bool may_be_cached = false;  ///< its results can be kept at all: of a pure tool only
  CachePolicy cache_policy = CachePolicy::NoCache;  ///< where the call says nothing else
  CacheScope cache_scope = CacheScope::Caller;
  /// Calls of one reply run one after the other, in their order: each builds on those before it.
  /// Not for a pure tool.
  bool in_turn = false;
  std::string source_parameter;     ///< the parameter that names a data source; empty: none does
  std::vector<SourceText> sources;  ///< those that it names
  std::optional<OutputLevel> default_level;
  bool whole_text = false;               ///< a result that is a text is read whole at STANDARD
  std::optional<DataEncoding> encoding;  ///< of its results; else the configured one
  /// Its results are there to be read: at FULL and in the encoding `auto`, where nothing else is
  /// set.
  bool reader = false;
  Milliseconds timeout{120000};
  bool retry_on_timeout = true;

  friend bool operator==(const ToolDescriptor&, const ToolDescriptor&) = default;
};

/// How a tool is offered to a model.
struct ToolSpec {
  std::string name;
  std::string description;
  std::string parameters_schema;  ///< with the optional `output_level` added

  friend bool operator==(const ToolSpec&, const ToolSpec&) = default;
};

struct Skill;  ///< pipeline/core/skill/skill.hpp

struct ToolInvocation {
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string tool_version;
  std::string parameters = "{}";  ///< JSON object; without output_level, checked against the schema
  /// The same as it was read for that, which nobody changes. Null: to be read (arguments_of).
  std::shared_ptr<const nlohmann::ordered_json> arguments;
  OutputLevel output_level = OutputLevel::Standard;
  Milliseconds timeout{120000};
  bool retry_on_timeout = true;  ///< false: a timeout of this call is not retried
  PermissionLevel permission_level = PermissionLevel::Default;
  TenantId tenant;
  std::string caller_id;        ///< agent or skill
  std::string idempotency_key;  ///< same for each run of the same call; keyed tools pass it on
  /// Of a call that an earlier attempt has begun: the tool's version then. Empty: it is this one.
  std::string begun_version;
  LedgerJobId job;
  Position position;  ///< identity of the call: (job, round, step, index)
  /// Of the parameters that name an artifact (`x-artifact`): their data, JSON, by parameter.
  std::map<std::string, SharedText> artifacts;
  /// Of those of which artifact_range() asked for a part, which items that are.
  std::map<std::string, ItemRange> artifact_parts;
  /// Takes a result that is too large to be held; null: nothing is kept, more isn't read.
  std::shared_ptr<ChunkSink> chunks;
  /// What the tool may hold of a result where nothing is kept.
  std::int64_t held_bytes_max = kHeldBytesMax;
  /// Those that are active in the conversation, as they were activated; for what runs their
  /// scripts.
  std::vector<std::shared_ptr<const Skill>> active_skills;

  friend bool operator==(const ToolInvocation&, const ToolInvocation&) = default;
};

/// Its parameters, read where they weren't. Any thread.
std::shared_ptr<const nlohmann::ordered_json> arguments_of(const ToolInvocation& invocation);

/// A running call. Destroying it cancels the work (query cancelled, file closed): no completion
/// comes after that.
class ToolRun {
 public:
  virtual ~ToolRun() = default;
};

/// Where a reconcilable tool is asked what became of a call.
class StatusSource {
 public:
  virtual ~StatusSource() = default;

  /// The invocation is that of the run in question: same parameters, same idempotency key. Has no
  /// effect itself. Answers as Tool::run does.
  [[nodiscard]] virtual std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                                        std::function<void(EffectStatus)> done) = 0;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolDescriptor& descriptor() const = 0;

  /// Why it would refuse a call with these parameters (checked against the schema), as far as it
  /// can tell without touching anything outside: what its guards say. Any thread.
  virtual std::optional<ToolError> refusal(const std::string& parameters) const {
    static_cast<void>(parameters);
    return std::nullopt;
  }

  /// Which items of an artifact that is an array a call with these parameters reads, where it can
  /// do with those: it is given them, and perhaps some beside them (artifact_parts), or all.
  virtual std::optional<ItemRange> artifact_range(const std::string& parameters) const {
    static_cast<void>(parameters);
    return std::nullopt;
  }

  /// Starts the call and answers once through `done`, on the control thread, never from inside
  /// this call. Keeps within invocation.timeout by itself (type Timeout, code TIMEOUT).
  [[nodiscard]] virtual std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                                                     std::function<void(RawToolResult)> done) = 0;

  /// Not null for a Reconcilable tool, and only for such; part of the tool.
  virtual StatusSource* status_source() { return nullptr; }
};

}  // namespace ba
