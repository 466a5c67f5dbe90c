// SPDX-License-Identifier: Apache-2.0
// `ba-agent import`: a conversation that began elsewhere into the ledger.
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/text/contract/text_check.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"
#include "storage/conversations.hpp"
#include "worker/cli/conversations/carrier_lines.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/contract_limits.hpp"

namespace ba::cli {
namespace {

struct ImportArguments {
  std::string file;  ///< empty or "-": standard input
  std::string tenant = "default";
  std::string conversation;  ///< empty: made
  std::string provider;      ///< whose blocks and items go back to it; empty: nobody's
  CarrierFormat format = CarrierFormat::Langchain;
  std::string by;
  bool json = false;
};

void declare(CLI::App& app, ImportArguments& arguments) {
  app.add_option("file", arguments.file, "Messages (default: standard input)");
  form_option(app, "--format", arguments.format, FormUse::Read,
              "langchain, anthropic, openai or responses (default: langchain)");
  filter_option(app, "--tenant", arguments.tenant, "Tenant")->capture_default_str();
  filter_option(app, "--conversation", arguments.conversation,
                "The new conversation's id, which must be unused (default: made)");
  filter_option(app, "--provider", arguments.provider,
                "The configured provider that signed thinking and made reasoning items: they go "
                "back to it (default: they go to nobody)");
  by_option(app, arguments.by);
  json_flag(app, arguments.json, JsonForm::Document);
}

/// As jobs may name them.
Result<void> check_names(const storage::ImportedConversation& wanted,
                         const JobContractLimits& limits) {
  const TextRule rule{.chars_max = limits.id_chars_max, .required = true};
  auto defect = check_text("--tenant", wanted.tenant.value, rule);
  if (!defect && wanted.tenant.value.find('/') != std::string::npos)
    defect = invalid_field("--tenant", "must not contain '/'");
  if (!defect) defect = check_text("--conversation", wanted.conversation_id.value, rule);
  if (!defect) return {};
  return usage_error(defect->field + " " + defect->message);
}

Result<std::vector<Message>> read_messages(const ImportArguments& arguments,
                                           const InputFile& input) {
  const auto text = read_whole(input, kConversationBytesMax);
  if (!text) return text.error();
  const auto refused = [&](const std::string& why) {
    return invalid_argument(input.name() + ": " + why);
  };
  const auto document = JsonView::parse(*text);
  if (!document) return refused("not JSON: " + document.error().message);
  auto reading = read_carrier(arguments.format, *document, arguments.provider);
  if (!reading) return refused(reading.error().message);
  if (reading->messages.empty()) return refused("it has no message: there is nothing to import");
  return std::move(reading->messages);
}

Result<void> settle(std::vector<Message> messages, storage::ImportedConversation& imported) {
  settle_in(messages, imported.conversation_id);
  if (auto valid = validate_history(messages, HistoryEnd::Answered); !valid) return valid;
  for (const Message& message : messages) imported.messages.push_back(message_to_json(message));
  return {};
}

void tell(const ImportArguments& arguments, const storage::ImportedConversation& imported,
          Terminal& terminal) {
  if (arguments.json) {
    terminal.out() << nlohmann::ordered_json{{"tenant", imported.tenant.value},
                                             {"conversation_id", imported.conversation_id.value},
                                             {"messages", imported.messages.size()}}
                          .dump()
                   << "\n";
    return;
  }
  terminal.out() << printable(imported.tenant.value + "/" + imported.conversation_id.value)
                 << " has "
                 << counted(static_cast<std::int64_t>(imported.messages.size()), "message")
                 << "; a job of this conversation goes on with them\n";
}

int import_history(const ImportArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  storage::ImportedConversation imported;
  imported.tenant = TenantId(arguments.tenant);
  imported.conversation_id = ConversationId(
      arguments.conversation.empty() ? random_name("imported-") : arguments.conversation);
  imported.by = acting_person(arguments.by);
  const auto named = check_names(imported, config::contract_limits_of(session.config()));
  if (!named) return terminal.fail(named.error());
  const InputFile input(arguments.file);
  auto messages = read_messages(arguments, input);
  if (!messages) {
    terminal.failure(printable(messages.error().message));
    return kExitFailed;
  }
  if (auto settled = settle(std::move(*messages), imported); !settled)
    return terminal.fail(settled.error());
  const auto access = ledger_of(session.config());
  if (!access) return terminal.fail(access.error());
  if (auto made = storage::import_conversation(*access, imported); !made)
    return terminal.fail(made.error());
  tell(arguments, imported, terminal);
  return kExitOk;
}

}  // namespace

Command import_command() {
  return command<ImportArguments>(
      {.name = "import",
       .summary = "Put a conversation into the ledger, for jobs to continue",
       .examples = "  ba-agent import conversation.json --conversation weekly-report\n"
                   "  ba-agent import --format openai --tenant acme < messages.json\n"
                   "  ba-agent submit --conversation weekly-report 'And in April?'",
       .needs = {.database = true, .schema = true, .later = true}},
      declare, import_history);
}

}  // namespace ba::cli
