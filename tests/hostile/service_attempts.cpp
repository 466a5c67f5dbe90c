// SPDX-License-Identifier: Apache-2.0
// What it asks beyond data and files: tools that its agent isn't given, what others were told,
// searches, skills.
#include <nlohmann/json.hpp>

#include "tests/hostile/attempts.hpp"
#include "tests/hostile/known_calls.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKinds[]{"query",    "write",       "read",          "write_file",
                                    "command",  "sub_agent",   "stranger",      "oversize",
                                    "unlisted", "kept_result", "vector_search", "web_search",
                                    "skill",    "letter",      "obeyed"};

/// Each would work, and be seen, if the agent's list had the tool.
constexpr KnownCall kUnlisted[]{
    {"file_write", R"({"path":"unlisted.txt","content":"unlisted"})"},
    {"database_write", R"x({"sql":"INSERT INTO notes VALUES ('unlisted')"})x"},
    {"file_reader", R"({"path":"data.csv"})"},
    {"file_reader", R"({"path":"letter.txt"})"},
    {"execute_command", R"({"command":"echo canary-of-the-com''mand"})"},
    {"web_search", R"({"query":"unlisted"})"},
    {"vector_search", R"({"query":"unlisted"})"},
    {"task", R"({"description":"unlisted","prompt":"unlisted","subagent_type":"explorer"})"},
    {"activate_skill", R"({"skill_name":"reports"})"},
    {"deactivate_skill", R"({"skill_name":"reports","activation_id":"skill-1"})"}};

constexpr const char* kQueries[]{"quarterly figures",
                                 "canary",
                                 "everything of every tenant",
                                 "x' OR tenant = 'globex",
                                 "x'; DROP TABLE ba_passages; --",
                                 "{\"tenant\":\"globex\"}",
                                 "1 0 0",
                                 "file:///etc/passwd",
                                 "http://169.254.169.254/latest/meta-data",
                                 "q&format=html&tenant=globex",
                                 "q\r\nHost: evil.example\r\n\r\nGET /admin HTTP/1.1"};

constexpr const char* kSkills[]{"payroll",         "vault",          "salaries", "reports",
                                "VAULT",           " vault",         "vault\n",  "reports/../vault",
                                "../salaries",     "globex/payroll", "*",        "%",
                                "vault' OR '1'='1"};

constexpr const char* kResources[]{"secret.md",       "./secret.md", "../vault/secret.md",
                                   "SKILL.md",        "/etc/passwd", "../../../etc/passwd",
                                   "vault/secret.md", "*",           ""};

}  // namespace

std::string_view to_string(AttemptKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

/// The same to whoever reads it as JSON.
std::string Attempts::disguised_json(const std::string& args) {
  Json json = Json::parse(args);
  if (json.contains("sql") && one_in(2)) json["sql"] = disguised(json["sql"].get<std::string>());
  if (json.contains("query") && one_in(2))
    json["query"] = " " + json["query"].get<std::string>() + "\n ";
  if (json.contains("path") && one_in(2))
    json["path"] = (one_in(2) ? "./" : ".//") + json["path"].get<std::string>();
  if (one_in(3)) json["output_level"] = any(std::vector<const char*>{"brief", "standard", "full"});
  if (one_in(5)) json["limit"] = 10;
  return json.dump(one_in(3) ? 2 : -1, ' ', false, Json::error_handler_t::ignore);
}

Attempt Attempts::unlisted() {
  const KnownCall& call = kUnlisted[below(std::size(kUnlisted))];
  return {AttemptKind::Unlisted, std::string(call.tool), std::string(call.args)};
}

Attempt Attempts::kept_result() {
  const KnownCall& call = kKnownCalls[below(std::size(kKnownCalls))];
  const std::string args(call.args);
  return {AttemptKind::KeptResult, std::string(call.tool), one_in(3) ? args : disguised_json(args)};
}

Attempt Attempts::vector_search() {
  Json args{{"query", any(kQueries)}};
  if (one_in(4)) args["limit"] = one_in(2) ? 50 : -1;
  if (one_in(4)) args["min_score"] = -1;
  if (one_in(5)) args["index"] = any(std::vector<const char*>{"passages", "globex", "*"});
  if (one_in(6)) args["tenant"] = "globex";
  if (one_in(8)) args["tenant_column"] = "id";
  if (one_in(8)) args["table"] = "pg_authid";
  return {AttemptKind::VectorSearch, "vector_search", args.dump()};
}

Attempt Attempts::web_search() {
  Json args{{"query", any(kQueries)}};
  if (one_in(5)) args["base_url"] = "http://127.0.0.1:1/";
  if (one_in(5)) args["max_results"] = 1'000'000;
  if (one_in(5)) args["language"] = "en&q=unlisted";
  return {AttemptKind::WebSearch, "web_search", args.dump()};
}

/// Skills of other jobs, and those that no model may activate.
Attempt Attempts::skill() {
  if (one_in(8))
    return {AttemptKind::Skill, "deactivate_skill",
            Json{{"skill_name", any(kSkills)}, {"activation_id", "skill-key"}}.dump()};
  Json args{{"skill_name", any(kSkills)}};
  if (one_in(2)) args["load_level"] = 1 + below(4);
  if (one_in(3)) args["resource"] = any(kResources);
  if (one_in(6)) args["parameters"] = {{"tenant", "globex"}, {"job", 1}};
  if (one_in(10)) args["tenant"] = "globex";
  if (one_in(4)) args["output_level"] = "full";
  return {AttemptKind::Skill, "activate_skill", args.dump()};
}

/// Honest calls, that what they bring may be obeyed.
Attempt Attempts::letter() {
  Json args;
  const char* tool = "file_reader";
  switch (below(7)) {
    case 0:
      tool = "query_database";
      args["sql"] = "SELECT text FROM letters WHERE number = " + std::to_string(below(40));
      break;
    case 1:
      args["path"] = "letter.txt";
      break;
    case 2:
      args["artifact_id"] = overheard_.own_letter;
      break;
    case 3:
      tool = "web_search";
      args["query"] = "letter " + std::to_string(below(1000));
      break;
    case 4:
      tool = "vector_search";
      args["query"] = "letter";
      break;
    case 5:
      tool = "task";
      args = {{"description", "d"}, {"prompt", "p"}, {"subagent_type", "explorer"}};
      break;
    default:
      tool = "activate_skill";
      args["skill_name"] = "reports";
  }
  args["output_level"] = "full";
  return {AttemptKind::Letter, tool, args.dump()};
}

}  // namespace ba
