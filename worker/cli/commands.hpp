#pragma once
// SPDX-License-Identifier: Apache-2.0
// The commands, one file each. A command writes to the session's terminal and answers with an
// exit code; it blocks until it is done.

#include "worker/cli/arguments.hpp"
#include "worker/cli/session.hpp"

namespace ba {

int artifact_list_command(const ArtifactListArguments& arguments, const Session& session);
int artifact_show_command(const ArtifactShowArguments& arguments, const Session& session);
int cache_purge_command(const CachePurgeArguments& arguments, const Session& session);
int cache_show_command(const CacheShowArguments& arguments, const Session& session);
int cache_stats_command(const CacheStatsArguments& arguments, const Session& session);
int config_check_command(const ConfigCheckArguments& arguments, const Session& session);
int config_schema_command(const Session& session);
int config_print_command(const ConfigPrintArguments& arguments, const Session& session);
int convert_command(const ConvertArguments& arguments, const Session& session);
int dlq_list_command(const DlqListArguments& arguments, const Session& session);
int dlq_redrive_command(const DlqRedriveArguments& arguments, const Session& session);
int dlq_show_command(const DlqShowArguments& arguments, const Session& session);
int doctor_command(const DoctorArguments& arguments, const Session& session);
int encode_command(const EncodeArguments& arguments, const Session& session);
int tokens_count_command(const TokensCountArguments& arguments, const Session& session);
int tokens_info_command(const TokensInfoArguments& arguments, const Session& session);
int export_command(const ExportArguments& arguments, const Session& session);
int history_compress_command(const HistoryCompressArguments& arguments, const Session& session);
int import_command(const ImportArguments& arguments, const Session& session);
int job_control_command(const JobControlArguments& arguments, const Session& session);
int job_fork_command(const JobForkArguments& arguments, const Session& session);
int job_list_command(const JobListArguments& arguments, const Session& session);
int job_resolve_command(const JobResolveArguments& arguments, const Session& session);
int mcp_list_command(const McpListArguments& arguments, const Session& session);
int migrate_command(const MigrateArguments& arguments, const Session& session);
int outbox_verify_command(const OutboxVerifyArguments& arguments, const Session& session);
int report_command(const ReportArguments& arguments, const Session& session);
int results_command(const ResultsArguments& arguments, const Session& session);
int show_command(const ShowArguments& arguments, const Session& session);
int skill_check_command(const SkillCheckArguments& arguments, const Session& session);
int skill_list_command(const SkillListArguments& arguments, const Session& session);
int skill_show_command(const SkillShowArguments& arguments, const Session& session);
int submit_command(const SubmitArguments& arguments, const Session& session);
int tool_describe_command(const ToolDescribeArguments& arguments, const Session& session);
int tool_explain_command(const ToolExplainArguments& arguments, const Session& session);
int tool_list_command(const ToolListArguments& arguments, const Session& session);
int tool_run_command(const ToolRunArguments& arguments, const Session& session);
int topics_command(const TopicsArguments& arguments, const Session& session);
int version_command(const VersionArguments& arguments, const Session& session);

}  // namespace ba
