#pragma once
// SPDX-License-Identifier: Apache-2.0
// The commands, one file each. A command writes to the session's terminal and answers with an
// exit code; it blocks until it is done.

#include "worker/cli/program/arguments.hpp"
#include "worker/cli/program/cli_session.hpp"

namespace ba {

int artifact_list_command(const ArtifactListArguments& arguments, const CliSession& session);
int artifact_show_command(const ArtifactShowArguments& arguments, const CliSession& session);
int cache_purge_command(const CachePurgeArguments& arguments, const CliSession& session);
int cache_show_command(const CacheShowArguments& arguments, const CliSession& session);
int cache_stats_command(const CacheStatsArguments& arguments, const CliSession& session);
int config_check_command(const ConfigCheckArguments& arguments, const CliSession& session);
int config_schema_command(const CliSession& session);
int config_print_command(const ConfigPrintArguments& arguments, const CliSession& session);
int convert_command(const ConvertArguments& arguments, const CliSession& session);
int dlq_list_command(const DlqListArguments& arguments, const CliSession& session);
int dlq_redrive_command(const DlqRedriveArguments& arguments, const CliSession& session);
int dlq_show_command(const DlqShowArguments& arguments, const CliSession& session);
int doctor_command(const DoctorArguments& arguments, const CliSession& session);
int encode_command(const EncodeArguments& arguments, const CliSession& session);
int tokens_count_command(const TokensCountArguments& arguments, const CliSession& session);
int tokens_info_command(const TokensInfoArguments& arguments, const CliSession& session);
int export_command(const ExportArguments& arguments, const CliSession& session);
int history_compress_command(const HistoryCompressArguments& arguments, const CliSession& session);
int import_command(const ImportArguments& arguments, const CliSession& session);
int job_control_command(const JobControlArguments& arguments, const CliSession& session);
int job_fork_command(const JobForkArguments& arguments, const CliSession& session);
int job_list_command(const JobListArguments& arguments, const CliSession& session);
int job_resolve_command(const JobResolveArguments& arguments, const CliSession& session);
int mcp_list_command(const McpListArguments& arguments, const CliSession& session);
int migrate_command(const MigrateArguments& arguments, const CliSession& session);
int outbox_verify_command(const OutboxVerifyArguments& arguments, const CliSession& session);
int report_command(const ReportArguments& arguments, const CliSession& session);
int results_command(const ResultsArguments& arguments, const CliSession& session);
int show_command(const ShowArguments& arguments, const CliSession& session);
int skill_check_command(const SkillCheckArguments& arguments, const CliSession& session);
int skill_list_command(const SkillListArguments& arguments, const CliSession& session);
int skill_show_command(const SkillShowArguments& arguments, const CliSession& session);
int submit_command(const SubmitArguments& arguments, const CliSession& session);
int tool_describe_command(const ToolDescribeArguments& arguments, const CliSession& session);
int tool_explain_command(const ToolExplainArguments& arguments, const CliSession& session);
int tool_list_command(const ToolListArguments& arguments, const CliSession& session);
int tool_run_command(const ToolRunArguments& arguments, const CliSession& session);
int topics_command(const TopicsArguments& arguments, const CliSession& session);
int version_command(const VersionArguments& arguments, const CliSession& session);

}  // namespace ba
