// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_world.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "tests/hostile/letters.hpp"

namespace ba {
namespace {

constexpr const char* kCaller = "hostile";
constexpr const char* kTenant = "acme";

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// As the adapters for models make it.
ToolCall call_of(const Attempt& attempt) {
  ToolCall call;
  call.id = ToolCallId("call");
  call.name = attempt.tool;
  if (is_json_object(attempt.args)) {
    call.args_json = attempt.args;
  } else {
    call.invalid_args = attempt.args;
    call.args_error = "The arguments are not a JSON object";
  }
  return call;
}

/// Names and contents below a directory, but for what file_write keeps of its calls.
std::string tree(const std::filesystem::path& top) {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
    const std::string name = entry.path().lexically_relative(top).string();
    if (name.starts_with(".ba-agent")) continue;
    lines.push_back(name + (entry.is_regular_file() ? " " + content_of(entry.path()) : ""));
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

HostileWorld::HostileWorld()
    : canaries_{"canary-of-the-table",   "canary-of-the-file",  "canary-of-the-artifact",
                "canary-of-the-passage", "canary-of-the-cache", "canary-of-the-skill",
                "canary-of-the-command"} {
  open_store();
  own_job_ = job(kTenant, "talk");
  artifacts_ = {keep("globex", job("globex", "talk"), canaries_[2]),
                keep(kTenant, job(kTenant, "another talk"), canaries_[2])};
  const std::vector<std::string> letters = letters_about(overheard());
  own_letter_ = keep(kTenant, own_job_, letters[1]);
  fill_database(letters);
  fill_files(letters[0]);
  fill_passages(letters[2]);
  offer_skills(letters[3]);
  build(letters[4]);
  keep_results_of_others();
  services_.find(letters);
}

void HostileWorld::open_store() {
  storage::PgOptions options;
  options.access = schema_.access();
  auto opened = storage::open_storage(options, executor_);
  if (!opened) throw std::runtime_error(opened.error().message);
  storage_ = std::move(*opened);
}

void HostileWorld::fill_database(const std::vector<std::string>& letters) {
  sql::Person owner(database_.owner_url());
  owner.run(
      "CREATE TABLE words (word text); INSERT INTO words VALUES ('open'), ('sesame');"
      "CREATE TABLE notes (note text); CREATE TABLE letters (number serial, text text);"
      "CREATE TABLE secrets (canary text); INSERT INTO secrets VALUES ('" +
      canaries_[0] +
      "'); GRANT SELECT ON words, letters TO ba_reader;"
      "GRANT SELECT, INSERT ON notes TO ba_reader");
  for (const std::string& letter : letters)
    owner.run("INSERT INTO letters (text) VALUES ($letter$" + letter + "$letter$)");
}

void HostileWorld::fill_files(const std::string& letter) {
  root_.write("data.csv", "word\nopen\n");
  root_.write("letter.txt", letter);
  outside_.write("outside", canaries_[1]);
  std::filesystem::create_directory_symlink(outside_.path(), root_.path() / "link");
  std::filesystem::create_directory_symlink(outside_.path(), out_.path() / "link");
  if (::mkfifo((root_.path() / "pipe").c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
}

void HostileWorld::fill_passages(const std::string& letter) {
  sql::Person owner(passages_.owner_url());
  owner.run(
      "CREATE TABLE ba_passages (tenant text, id text, text text, embedding real[]);"
      "GRANT SELECT ON ba_passages TO ba_reader");
  const std::string vector = HostileServices::kVector;
  owner.run("INSERT INTO ba_passages VALUES ('acme', 'ours', $letter$" + letter + "$letter$, '" +
            vector + "'), ('globex', '" + canaries_[3] + "', '" + canaries_[3] + "', '" + vector +
            "')");
}

void HostileWorld::offer_skills(const std::string& instructions) {
  skills_.offer(own_job_, instructions, canaries_[5]);
  skills_.offer_elsewhere(job("globex", "with skills"), "payroll", canaries_[5]);
  skills_.offer_elsewhere(job(kTenant, "with skills"), "salaries", canaries_[5]);
}

HostileWorld::~HostileWorld() = default;

LedgerJobId HostileWorld::job(const std::string& tenant, const std::string& conversation) {
  schema_.execute("INSERT INTO conversations (tenant, conversation_id) VALUES ('" + tenant +
                  "', '" + conversation + "')");
  return LedgerJobId(std::stoll(schema_.query(
      "INSERT INTO jobs (tenant, job_id, conversation, lane, payload, source_topic,"
      " source_topic_id, source_partition, source_offset, created_at)"
      " SELECT tenant, conversation_id, id, 0, '', '', '', 0, 0, now() FROM conversations"
      " WHERE tenant = '" +
      tenant + "' AND conversation_id = '" + conversation + "' RETURNING id")));
}

/// Its id.
std::string HostileWorld::keep(const std::string& tenant, LedgerJobId job,
                               const std::string& text) {
  const std::string data = "\"" + text + "\"";
  const TenantId owner(tenant);
  const std::string id = artifact_id(owner, sha256_hex_of(data));
  bool kept = false;
  storage_->artifacts().keep({id, owner, job, {0, 1, 0}, data},
                             [&](const Result<ArtifactKept>& result) { kept = bool(result); });
  if (!executor_.run_until([&] { return kept; })) throw std::runtime_error("no artifact");
  return id;
}

Overheard HostileWorld::overheard() const {
  const std::string outside = (outside_.path() / "outside").string();
  return {artifacts_, outside, outside_.path().filename().string() + "/outside", own_letter_};
}

HostileWorld::Caller HostileWorld::caller_for(const Attempt& attempt) const {
  Caller caller{kTenant, kCaller, PermissionLevel::Default, own_job_,
                std::set<std::string>(agent_tools_.begin(), agent_tools_.end())};
  const bool writes = attempt.tool == "database_write" || attempt.tool == "file_write";
  if (writes || attempt.kind == AttemptKind::Unlisted) caller.permission = PermissionLevel::Admin;
  if (attempt.kind == AttemptKind::Unlisted) caller.allowed = {{"query_database"}};
  return caller;
}

ToolResult HostileWorld::call(const Attempt& attempt) {
  return call_as(caller_for(attempt), attempt);
}

ToolResult HostileWorld::call_as(const Caller& caller, const Attempt& attempt) {
  ToolRequest request;
  request.call = call_of(attempt);
  request.tenant = TenantId(caller.tenant);
  request.caller_id = caller.agent;
  request.permission = caller.permission;
  request.allowed = caller.allowed;
  request.job = caller.job;
  request.position = {0, 1, static_cast<int>(calls_ % 1000)};
  request.idempotency_key = "key-" + std::to_string(calls_++);
  std::optional<ToolResult> result;
  const auto run = runtime_->run(request, [&](ToolResult answer) { result = std::move(answer); });
  if (!executor_.run_until([&] { return result.has_value(); }, Milliseconds(60'000)))
    throw std::runtime_error("no answer to " + attempt.tool + " " + attempt.args.substr(0, 300));
  return *result;
}

std::string HostileWorld::standing() {
  sql::Person owner(database_.owner_url());
  std::string text;
  for (const char* sql :
       {"SELECT string_agg(word, ',' ORDER BY word) FROM words",
        "SELECT string_agg(canary, ',') FROM secrets",
        "SELECT string_agg(DISTINCT note, ',') FROM notes",
        "SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace",
        "SELECT string_agg(proname, ',' ORDER BY proname) FROM pg_proc"
        " WHERE pronamespace = 'public'::regnamespace",
        "SELECT string_agg(rolname || rolsuper::text, ',' ORDER BY rolname) FROM pg_roles",
        "SELECT string_agg(relname || coalesce(relacl::text, ''), ',' ORDER BY relname)"
        " FROM pg_class WHERE relnamespace = 'public'::regnamespace"})
    text += owner.value(sql) + "\n";
  // Below `out` it may write what it likes, but not through what leads out of it.
  text += "root\n" + tree(root_.path()) + "outside\n" + tree(outside_.path()) +
          std::filesystem::read_symlink(out_.path() / "link").string() + "\n";
  text += std::filesystem::exists(out_.path() / "unlisted.txt") ? "unlisted.txt\n" : "";
  text += forbidden_sub_agents_ + services_.forbidden();
  text += std::filesystem::exists("/tmp/hostile") ? "/tmp/hostile\n" : "";
  std::string any_canary;
  for (const std::string& canary : canaries_)
    any_canary += (any_canary.empty() ? "" : "|") + canary;
  return text + schema_.query(
                    "SELECT string_agg(tenant || id, ',' ORDER BY tenant, id) FROM artifacts"
                    " WHERE data ~ '" +
                    any_canary + "'");
}

}  // namespace ba
