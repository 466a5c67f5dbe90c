// SPDX-License-Identifier: Apache-2.0
// `ba-agent export`: the history of a conversation, in another program's form.
#include <ostream>

#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"
#include "storage/control.hpp"
#include "storage/conversations.hpp"
#include "worker/cli/conversations/carrier_lines.hpp"
#include "worker/cli/jobs/named_job.hpp"

namespace ba::cli {
namespace {

struct ExportArguments {
  std::string name;    ///< of a conversation, or of a job of it
  std::string tenant;  ///< empty: "default", or the TENANT of TENANT/NAME
  CarrierFormat format = CarrierFormat::Langchain;
};

void declare(CLI::App& app, ExportArguments& arguments) {
  app.add_option("name", arguments.name,
                 "The conversation's id, or that of one of its jobs; or TENANT/ID")
      ->required()
      ->check(not_empty());
  tenant_of_id(app, arguments.tenant);
  form_option(app, "--format", arguments.format, FormUse::Written,
              "langchain, anthropic, openai, responses or debug (default: langchain)");
}

Error not_there(const storage::PgAccess& access, const std::string& name,
                const std::string& tenant) {
  const std::string where = storage::job_elsewhere(access, {TenantId(tenant), JobId(name)});
  return make_error(ErrorCode::NotFound,
                    "there is no conversation \"" + name + "\" of tenant \"" + tenant +
                        "\" in the ledger, and no job of that id; " +
                        (where.empty() ? "`ba-agent job list` names the jobs" : where));
}

Result<std::optional<storage::ConversationHistory>> find(const storage::PgAccess& access,
                                                         const std::string& tenant,
                                                         const std::string& name) {
  storage::HistoryLimits limits;
  limits.messages_max = static_cast<std::int64_t>(kCarriedMessagesMax);
  limits.bytes_max = static_cast<std::int64_t>(kConversationBytesMax);
  return storage::find_history(access, TenantId(tenant), name, limits);
}

using NamedHistory = NamedThing<storage::ConversationHistory>;

Result<NamedHistory> named_history(const storage::PgAccess& access,
                                   const ExportArguments& arguments) {
  auto named = found_by_name<storage::ConversationHistory>(
      arguments.name, arguments.tenant, [&](const std::string& tenant, const std::string& name) {
        return find(access, tenant, name);
      });
  if (!named) return named.error();
  if (*named) return std::move(**named);
  const auto [tenant, name] = meant_by(arguments.name, arguments.tenant);
  return not_there(access, name, tenant);
}

/// The messages, whole: a provider takes no history with a call that waits for its answer.
Result<std::vector<Message>> messages_of(const storage::ConversationHistory& history,
                                         CarrierFormat format) {
  std::vector<Message> messages;
  for (const std::string& json : history.messages) {
    auto message = message_from_json(json);
    if (!message) return message.error();
    messages.push_back(std::move(*message));
  }
  const bool any_end = format == CarrierFormat::Langchain || format == CarrierFormat::Debug;
  const auto valid = validate_history(messages, any_end ? HistoryEnd::Open : HistoryEnd::Answered);
  if (valid) return messages;
  Error error = valid.error();
  if (history.unfinished_jobs > 0)
    error.message += "; a job of the conversation has not ended: export it as langchain, or wait";
  return error;
}

int export_history(const ExportArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto named = named_history(*session.database, arguments);
  if (!named) return terminal.fail(named.error());
  const auto messages = messages_of(named->thing, arguments.format);
  if (!messages) return terminal.fail(messages.error());
  const auto text = write_carrier(arguments.format, *messages);
  if (!text) {
    terminal.failure(printable(text.error().message));
    return kExitFailed;
  }
  terminal.out() << carrier_document(arguments.format, *text) << '\n';
  for (const Losses::Kind& kind : text->losses.kinds())
    terminal.message("note: the form " +
                     std::string(name_of(kCarrierFormatNames, arguments.format)) +
                     " has no place for " + printable(describe(kind)));
  if (named->thing.unfinished_jobs > 0)
    terminal.message("note: a job of the conversation has not ended: it may still add messages");
  return kExitOk;
}

}  // namespace

Command export_command() {
  return command<ExportArguments>(
      {.name = "export",
       .summary = "Print the whole history of a conversation of the ledger",
       .examples = "  ba-agent export job-42 > conversation.json\n"
                   "  ba-agent export acme/weekly-report --format anthropic",
       .needs = kNeedsLedger},
      declare, export_history);
}

}  // namespace ba::cli
