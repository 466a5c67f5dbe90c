#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the command line asks for, parsed: one struct for each sub-command. Values.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pipeline/base/time.hpp"
#include "pipeline/core/job/job_control.hpp"
#include "pipeline/core/tool/resolution.hpp"
#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/encoding/data_encoding.hpp"
#include "pipeline/text/token/token_counter.hpp"
#include "storage/cache_admin.hpp"
#include "worker/config/config.hpp"

namespace ba {

struct WorkerArguments {};

struct MigrateArguments {
  bool dry_run = false;
  bool status = false;
  bool json = false;
};

struct TopicsArguments {
  bool create = false;  ///< else verify
  bool json = false;
};

struct SubmitArguments {
  std::vector<std::string> questions;  ///< each a message of one job; "-" reads standard input
  std::string file;                    ///< jobs as JSON; "-": standard input
  std::string tenant;
  std::string job_id;
  std::string conversation;
  std::string agent;
  std::string model;
  std::string lane;
  std::map<std::string, std::string> metadata;
  std::string answer_schema_file;
  std::string answer_schema;  ///< what stands in that
  bool wait = false;
  Milliseconds timeout{600'000};  ///< of --wait
  bool quiet = false;
  bool json = false;
};

struct ShowArguments {
  std::string job;
  std::string tenant = "default";
  bool full = false;
  bool json = false;
};

struct ReportArguments {
  std::string name;           ///< of a job, or of a conversation
  std::string tenant;         ///< empty: "default", or the TENANT of TENANT/NAME
  bool conversation = false;  ///< the name is a conversation's
  bool json = false;
};

struct JobControlArguments {
  JobAction action = JobAction::Cancel;
  std::vector<std::string> jobs;
  std::string tenant = "default";
  std::string by;  ///< empty: the account of this process
  bool json = false;
};

struct JobListArguments {
  std::string state;  ///< empty: any; so are the next two
  std::string outcome;
  std::string tenant;
  std::optional<Milliseconds> older_than;
  std::optional<Milliseconds> newer_than;
  int rows_max = 100;
  bool json = false;
};

struct JobForkArguments {
  std::string job;
  std::string tenant = "default";
  int round = 0;
  std::optional<std::string> message;  ///< in the place of that round's, or after the last
  std::string new_id;                  ///< empty: made
  std::string by;
  bool json = false;
};

struct JobResolveArguments {
  std::string job;
  std::string tenant = "default";
  std::string call;  ///< empty: the only one
  CallVerdict verdict = CallVerdict::GiveUp;
  std::optional<std::string> result;  ///< of a call that happened; or in a file
  std::string result_file;
  std::string by;
  bool json = false;
};

/// What the commands about dead letters share.
struct DlqArguments {
  std::vector<std::string> ids;
  std::string tenant;  ///< empty: any, and records, which have none
  std::string reason;
  std::optional<Milliseconds> since;
  int rows_max = 100;
  bool json = false;
};

struct DlqListArguments {
  DlqArguments dlq;
};

struct DlqShowArguments {
  DlqArguments dlq;  ///< one id
  bool full = false;
};

struct DlqRedriveArguments {
  DlqArguments dlq;
  bool dry_run = false;
  std::string edit;  ///< file
  std::optional<int> from_round;
  std::string new_id;
  bool again = false;
  std::string by;
};

struct OutboxVerifyArguments {
  bool adopt = false;
  bool yes = false;
  bool json = false;
};

struct ResultsArguments {
  bool follow = false;
  bool from_beginning = false;
  std::optional<std::size_t> results_max;
  std::string tenant;  ///< empty: any
  bool json = false;
};

struct DoctorArguments {
  bool call = false;
  bool json = false;
};

struct McpListArguments {
  bool json = false;
};

struct SkillListArguments {
  bool json = false;
};

struct SkillShowArguments {
  std::string skill;
  bool json = false;
};

struct SkillCheckArguments {
  std::vector<std::string> directories;  ///< at least one
  bool json = false;
};

struct ConfigCheckArguments {
  bool json = false;
};

struct ConfigSchemaArguments {};

struct ConfigPrintArguments {
  bool json = false;
  bool origins = true;
  bool encoders = false;  ///< those of token_encoders.yaml
};

struct CacheStatsArguments {
  CacheFilter filter;
  bool json = false;
};

struct CacheShowArguments {
  CacheFilter filter;
  int rows_max = 20;
  bool json = false;
};

struct CachePurgeArguments {
  CacheFilter filter;
  bool all = false;
  bool json = false;
};

struct ArtifactListArguments {
  std::string tenant;  ///< empty: any; so are the next two
  std::string conversation;
  std::string job;
  int rows_max = 100;
  bool json = false;
  bool jsonl = false;
};

/// Of data, both ends included, counted from 0.
struct ByteRange {
  std::int64_t first = 0;
  std::optional<std::int64_t> last;  ///< none: to the end

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct ArtifactShowArguments {
  std::string id;
  std::string tenant;  ///< empty: any
  bool data = false;   ///< else what is known about it; the next two are of the data
  std::optional<ByteRange> range;
  std::string output;  ///< file; empty: standard output
  bool json = false;
};

struct ToolListArguments {
  bool mcp = false;  ///< with the tools of the configured servers
  bool json = false;
};

struct ToolDescribeArguments {
  std::string tool;
  std::string agent;  ///< as its model reads it; empty: as any may
  bool json = false;
};

/// Whose call of which tool, and with what.
struct ToolCallArguments {
  std::string tool;
  std::string args;       ///< JSON; "-": standard input
  std::string args_file;  ///< in its place; "-": standard input
  std::string tenant = "default";
  std::string agent = "default";
  std::optional<PermissionLevel> permission;  ///< none: the agent's
  std::optional<CachePolicy> cache_policy;    ///< none: the tool's
  std::string idempotency_key;
};

struct ToolExplainArguments {
  ToolCallArguments call;  ///< without arguments where lines hold them
  bool jsonl = false;
  std::string file;  ///< of --jsonl; empty or "-": standard input
  bool json = false;
};

struct ToolRunArguments {
  ToolCallArguments call;
  std::optional<int> timeout_ms;  ///< of the first try; none: the tool's
  bool no_retry_on_timeout = false;
  bool json = false;
};

struct EncodeArguments {
  DataEncoding format = DataEncoding::Compact;
  bool decode = false;
  bool jsonl = false;
  std::string name = "tool";  ///< of the tool, in XML
  std::string file;           ///< empty or "-": standard input
  char delimiter = ',';       ///< of TOON; so are the next two
  int indent = 2;
  bool lenient = false;
};

struct ConvertArguments {
  CarrierFormat from = CarrierFormat::Langchain;
  CarrierFormat to = CarrierFormat::Langchain;
  bool jsonl = false;
  bool strict = false;  ///< what the target has no place for is an error
  std::string file;     ///< empty or "-": standard input
};

struct ExportArguments {
  std::string name;    ///< of a conversation, or of a job of it
  std::string tenant;  ///< empty: "default", or the TENANT of TENANT/NAME
  CarrierFormat format = CarrierFormat::Langchain;
};

struct ImportArguments {
  std::string file;  ///< empty or "-": standard input
  std::string tenant = "default";
  std::string conversation;  ///< empty: made
  std::string provider;      ///< whose blocks and items go back to it; empty: nobody's
  CarrierFormat format = CarrierFormat::Langchain;
  std::string by;
  bool json = false;
};

struct HistoryCompressArguments {
  std::string model;  ///< empty: by o200k_base
  std::int64_t window = 200'000;
  std::optional<CompressionMode> mode;
  int threshold_percent = 0;  ///< 0: of the configuration
  int target_percent = 0;     ///< the same
  std::string file;           ///< empty or "-": standard input
};

struct TokensCountArguments {
  /// By one of these; by none, if only an estimate is wanted.
  std::string encoding;
  std::string model;
  std::string tokenizer;  ///< the name of a tokenizer.json
  bool margin = false;
  bool provider = false;  ///< the model's provider is asked
  bool estimate = false;
  bool jsonl = false;
  std::vector<std::string> files;  ///< at least one; empty or "-": standard input
};

struct TokensInfoArguments {
  std::string model;
};

struct VersionArguments {
  bool json = false;
};

using CommandArguments =
    std::variant<WorkerArguments, MigrateArguments, TopicsArguments, SubmitArguments, ShowArguments,
                 ReportArguments, JobControlArguments, JobListArguments, JobForkArguments,
                 JobResolveArguments, DlqListArguments, DlqShowArguments, DlqRedriveArguments,
                 OutboxVerifyArguments, ResultsArguments, DoctorArguments, ConfigCheckArguments,
                 ConfigPrintArguments, ConfigSchemaArguments, EncodeArguments, SkillListArguments,
                 SkillShowArguments, SkillCheckArguments, McpListArguments, CacheStatsArguments,
                 CacheShowArguments, CachePurgeArguments, ArtifactListArguments,
                 ArtifactShowArguments, ToolListArguments, ToolDescribeArguments,
                 ToolExplainArguments, ToolRunArguments, TokensCountArguments, TokensInfoArguments,
                 HistoryCompressArguments, ConvertArguments, ExportArguments, ImportArguments,
                 VersionArguments>;

struct Arguments {
  CommandArguments command;
  std::optional<std::string> config_file;
  std::vector<Override> overrides;
};

}  // namespace ba
