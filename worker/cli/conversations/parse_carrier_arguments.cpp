// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent convert`, `export` and `import`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

constexpr const char* kConvertExamples =
    "  ba-agent convert --from anthropic --to openai conversation.json > messages.json\n"
    "  ba-agent convert --from langchain --to responses --jsonl < many.jsonl\n\n"
    "Forms: langchain (messages_to_dict), anthropic (\"system\" and \"messages\"), openai (chat\n"
    "completions), responses (items), and debug, which is only written. What the other form has "
    "no\n"
    "place for is said on standard error. With --jsonl each line is {\"id\", \"messages\"}, and\n"
    "the answer the same, or {\"id\", \"error\": {\"field\", \"message\"}}.";

const std::vector<std::string> kRead = {"langchain", "anthropic", "openai", "responses"};
const std::vector<std::string> kWritten = {"langchain", "anthropic", "openai", "responses",
                                           "debug"};

CLI::Option* form_option(CLI::App& app, const char* name, CarrierFormat& format, const char* about,
                         const std::vector<std::string>& forms) {
  return app
      .add_option_function<std::string>(
          name,
          [&format](const std::string& text) { format = *value_of(kCarrierFormatNames, text); },
          about)
      ->check(CLI::IsMember(forms));
}

}  // namespace

void add_convert(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "convert", "Conversations from one program's form to another's",
                          kConvertExamples);
  auto arguments = std::make_shared<ConvertArguments>();
  form_option(*app, "--from", arguments->from, "The form of the input", kRead)->required();
  form_option(*app, "--to", arguments->to, "The form of the output", kWritten)->required();
  app->add_flag("--jsonl", arguments->jsonl, "Lines of conversations, answered line by line");
  app->add_flag("--strict", arguments->strict,
                "Refuse a conversation of which the other form has no place for something");
  app->add_option("file", arguments->file, "Input (default: standard input)");
  app->callback([=] { chosen(*arguments); });
}

void add_export(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "export", "The whole history of a conversation of the ledger",
                          "  ba-agent export job-42 > conversation.json\n"
                          "  ba-agent export acme/weekly-report --format anthropic");
  auto arguments = std::make_shared<ExportArguments>();
  app->add_option("name", arguments->name,
                  "The conversation's id, or that of one of its jobs; or TENANT/ID")
      ->required()
      ->check(not_empty());
  tenant_of_id(*app, arguments->tenant);
  form_option(*app, "--format", arguments->format,
              "langchain, anthropic, openai, responses or debug (default: langchain)", kWritten);
  app->callback([=] { chosen(*arguments); });
}

void add_import(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app =
      command(parent, "import", "A conversation into the ledger, for jobs to go on with",
              "  ba-agent import conversation.json --conversation weekly-report\n"
              "  ba-agent import --format openai --tenant acme < messages.json\n"
              "  ba-agent submit --conversation weekly-report 'And in April?'");
  auto arguments = std::make_shared<ImportArguments>();
  app->add_option("file", arguments->file, "Messages (default: standard input)");
  form_option(*app, "--format", arguments->format,
              "langchain, anthropic, openai or responses (default: langchain)", kRead);
  app->add_option("--tenant", arguments->tenant, "Tenant")
      ->capture_default_str()
      ->check(not_empty());
  app->add_option("--conversation", arguments->conversation,
                  "The new conversation's id; there must be none of that id (default: made)")
      ->check(not_empty());
  app->add_option("--provider", arguments->provider,
                  "The configured provider that signed thinking and made reasoning items: they "
                  "go back to it (default: they go to nobody)")
      ->check(not_empty());
  app->add_option("--by", arguments->by, "Who does it (default: the account, at this host)");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

}  // namespace ba
