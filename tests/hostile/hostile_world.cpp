// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_world.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "pipeline/message/json_text.hpp"
#include "pipeline/semantic/semantic_key.hpp"
#include "pipeline/tool/artifact.hpp"
#include "tests/support/fixed_random.hpp"

namespace ba {
namespace {

constexpr const char* kCaller = "hostile";
constexpr const char* kSubAgent = "explorer";
constexpr const char* kTenant = "acme";

/// Steady time is the machine's; the wall's is not asked.
class MachineClock final : public Clock {
 public:
  SteadyTime now() const override {
    return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now());
  }
  WallTime wall() const override {
    return std::chrono::time_point_cast<Microseconds>(std::chrono::system_clock::now());
  }
};

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

/// Runs no sub-agent, and notes each that was asked for and may not be.
class HostileWorld::Gatekeeper final : public SubAgentHost {
 public:
  explicit Gatekeeper(Executor& executor) : executor_(executor) {}

  std::unique_ptr<ToolRun> start(SubAgentRequest request,
                                 std::function<void(SubAgentAnswer)> done) override {
    const bool allowed = request.type == kSubAgent && request.prompt.size() <= kPromptBytesMax &&
                         request.permission_max <= PermissionLevel::Default;
    if (!allowed) forbidden += "sub-agent " + request.type + "\n";
    auto run = std::make_unique<Run>();
    run->timer = executor_.after(Milliseconds(0), [done = std::move(done)] {
      done({"id", SubAgentEnd{Outcome::Completed, "done", std::nullopt}});
    });
    return run;
  }
  int halt_all_of(LedgerJobId) override { return 0; }
  bool any_of(LedgerJobId) const override { return false; }

  std::string forbidden;

 private:
  static constexpr std::size_t kPromptBytesMax = 800'000;
  struct Run final : ToolRun {
    std::unique_ptr<Timer> timer;
  };
  Executor& executor_;
};

HostileWorld::HostileWorld()
    : canaries_{"canary-of-the-table", "canary-of-the-file", "canary-of-the-artifact"} {
  Person owner(database_.owner_url());
  owner.run(
      "CREATE TABLE words (word text); INSERT INTO words VALUES ('open'), ('sesame');"
      "CREATE TABLE notes (note text);"
      "CREATE TABLE secrets (canary text); INSERT INTO secrets VALUES ('" +
      canaries_[0] +
      "'); GRANT SELECT ON words TO ba_reader; GRANT SELECT, INSERT ON notes TO ba_reader");
  root_.write("data.csv", "word\nopen\n");
  outside_.write("outside", canaries_[1]);
  std::filesystem::create_directory_symlink(outside_.path(), root_.path() / "link");
  std::filesystem::create_directory_symlink(outside_.path(), out_.path() / "link");
  if (::mkfifo((root_.path() / "pipe").c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  PgOptions options;
  options.access = schema_.access();
  auto opened = open_storage(options, executor_);
  if (!opened) throw std::runtime_error(opened.error().message);
  storage_ = std::move(*opened);
  artifacts_ = {keep_canary("globex", job("globex", "talk")),
                keep_canary(kTenant, job(kTenant, "another talk"))};
  own_job_ = job(kTenant, "talk");
  build();
}

void HostileWorld::build() {
  ToolsConfig config;
  DataSourceConfig source;
  source.name = "words";
  source.url = database_.writer_url();
  source.tables = "words(word text)";
  source.statement_timeout = Milliseconds(300);
  config.data_sources = {source};
  WriteSourceConfig write;
  write.name = "notes";
  write.url = database_.writer_url();
  write.rules = {{"notes"}, {WriteStatement::Insert}};
  write.statement_timeout = Milliseconds(2000);
  config.write_sources = {write};
  config.files.roots = {{"data", root_.path().string(), ""}};
  config.files.artifacts = true;
  config.file_write.roots = {{"out", out_.path().string(), ""}};
  config.command.enabled = true;
  gatekeeper_ = std::make_unique<Gatekeeper>(executor_);
  desk_.host = gatekeeper_.get();
  const SubAgentTypes types{{kCaller, {kSubAgent}}, {"admin", {"admin"}}};
  auto built =
      build_tools(config, executor_, {task_maker(types, Milliseconds(1000), desk_, executor_)});
  if (!built) throw std::runtime_error(built.error().message);
  tools_ = std::move(*built);
  ToolRuntimeConfig runtime;
  runtime.retry.max_retries = 0;
  clock_ = std::make_unique<MachineClock>();
  random_ = std::make_unique<FixedRandom>();
  runtime_ = std::make_unique<ToolRuntime>(*tools_.registry, runtime, *clock_, executor_, *random_);
  runtime_->keep_artifacts({storage_->artifacts()});
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
std::string HostileWorld::keep_canary(const std::string& tenant, LedgerJobId job) {
  const std::string data = "\"" + canaries_[2] + "\"";
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
  return {artifacts_, outside, outside_.path().filename().string() + "/outside"};
}

ToolResult HostileWorld::call(const Attempt& attempt, PermissionLevel permission) {
  ToolRequest request;
  request.call = call_of(attempt);
  request.tenant = TenantId(kTenant);
  request.caller_id = kCaller;
  request.permission = permission;
  request.job = own_job_;
  request.position = {0, 1, static_cast<int>(calls_ % 1000)};
  request.idempotency_key = "key-" + std::to_string(calls_++);
  std::optional<ToolResult> result;
  const auto run = runtime_->run(request, [&](ToolResult answer) { result = std::move(answer); });
  if (!executor_.run_until([&] { return result.has_value(); }, Milliseconds(60'000)))
    throw std::runtime_error("no answer to " + attempt.tool + " " + attempt.args.substr(0, 300));
  return *result;
}

std::string HostileWorld::standing() {
  Person owner(database_.owner_url());
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
  text += gatekeeper_->forbidden;
  text += std::filesystem::exists("/tmp/hostile") ? "/tmp/hostile\n" : "";
  return text + schema_.query(
                    "SELECT string_agg(tenant || id, ',' ORDER BY tenant) FROM artifacts"
                    " WHERE data LIKE '%canary%'");
}

}  // namespace ba
