// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/job_documents.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/message/json_proof.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/settings/findings.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

bool blank(const std::string& line) {
  return line.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// The field in either of its spellings.
const Json* field(const Json& document, const char* snake, const char* camel) {
  if (document.contains(snake)) return &document[snake];
  return document.contains(camel) ? &document[camel] : nullptr;
}

void set_if_given(Json& document, const std::string& value, const char* snake, const char* camel) {
  if (value.empty()) return;
  document.erase(camel);
  document[snake] = value;
}

/// Whether a field of the document is absent or the empty text (proto3 JSON makes no difference).
bool lacks(const Json& document, const char* snake, const char* camel) {
  const Json* found = field(document, snake, camel);
  return found == nullptr || found->is_null() || *found == "";
}

Result<void> add_metadata(Json& document, const SubmitArguments& arguments) {
  if (arguments.metadata.empty()) return {};
  Json& metadata = document["metadata"];
  if (!metadata.is_null() && !metadata.is_object())
    return invalid_argument("metadata is " + std::string(metadata.type_name()) +
                            ": --meta can add to an object only");
  for (const auto& [name, value] : arguments.metadata) metadata[name] = value;
  return {};
}

/// An id may have a '/', but other commands print TENANT/JOB, which is rather what was meant.
Result<void> check_no_tenant_in_id(const Json& document, const SubmitArguments& arguments) {
  const std::string& id = arguments.job_id;
  const std::size_t slash = id.find('/');
  const bool pair = slash != std::string::npos && slash > 0 && slash + 1 < id.size();
  if (!pair || !lacks(document, "tenant", "tenant")) return {};
  return invalid_argument("--job-id " + settings::quoted(id) +
                          " reads as TENANT/JOB: give --tenant " + id.substr(0, slash) +
                          " --job-id " + id.substr(slash + 1) +
                          ", or --tenant default if all of it is the id");
}

Result<void> complete(Json& document, const SubmitArguments& arguments,
                      const std::function<std::string()>& new_id) {
  set_if_given(document, arguments.tenant, "tenant", "tenant");
  set_if_given(document, arguments.job_id, "job_id", "jobId");
  set_if_given(document, arguments.conversation, "conversation_id", "conversationId");
  set_if_given(document, arguments.agent, "agent", "agent");
  set_if_given(document, arguments.model, "model", "model");
  set_if_given(document, arguments.lane, "lane", "lane");
  set_if_given(document, arguments.answer_schema, "answer_schema", "answerSchema");
  if (auto checked = check_no_tenant_in_id(document, arguments); !checked) return checked;
  if (lacks(document, "tenant", "tenant")) document["tenant"] = "default";
  if (lacks(document, "job_id", "jobId")) {
    document.erase("jobId");
    document["job_id"] = new_id();
  }
  return add_metadata(document, arguments);
}

/// "; there is "message": did you mean "messages"?", where a missing field has been mistyped.
std::string misspelt(const Json& document, const std::string& missing) {
  if (missing.empty() || document.contains(missing)) return {};
  for (const auto& [name, value] : document.items())
    if (nearest_word(name, {missing}))
      return "; there is " + settings::quoted(name) + ": did you mean " +
             settings::quoted(missing) + "?";
  return {};
}

Result<Job> validated(const Json& document, const std::string& place,
                      const JobContractLimits& limits) {
  const std::string text = dump_exact(document);
  const Headers headers{{"content-type", "application/json"}};
  DecodedRecord decoded = decode_job({std::nullopt, text, headers, {}}, limits);
  if (auto* job = std::get_if<Job>(&decoded)) return std::move(*job);
  const auto& reason = std::get<DeadLetterReason>(decoded);
  return invalid_argument(place + (reason.field.empty() ? "" : reason.field + ": ") +
                          reason.message + " (" + reason.reason.text() + ")" +
                          misspelt(document, reason.field));
}

Result<std::vector<std::string>> split_lines(const std::string& text) {
  std::vector<std::string> documents;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (blank(line)) continue;
    if (const auto problem = json_problem(line, kJsonDepthMax)) {
      if (documents.empty())  // one document over several lines, rather than one a line
        return invalid_argument("not valid JSON: " +
                                json_problem(text, kJsonDepthMax).value_or(*problem));
      return invalid_argument("line " + std::to_string(number) + " is not valid JSON: " + *problem);
    }
    documents.push_back(line);
  }
  return documents;
}

/// "jobs.json: ", before what is wrong in it.
std::string file_text(const SubmitArguments& arguments) {
  return arguments.file.empty() || arguments.file == "-" ? std::string() : arguments.file + ": ";
}

/// Nothing is altered on its way: what isn't UTF-8 is refused.
Result<void> check_encoding(const SubmitArguments& arguments, const std::string& text) {
  const auto at = utf8_defect(text);
  if (!at) return {};
  const bool file = !arguments.file.empty() && arguments.file != "-";
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n');
  return usage_error((file ? arguments.file : "standard input") + " line " +
                     std::to_string(line + 1) + ": " + describe_utf8_defect(text, *at) +
                     "; the input must be UTF-8 (iconv -t UTF-8 converts)");
}

}  // namespace

Result<std::vector<std::string>> split_documents(const std::string& text) {
  if (blank(text))
    return invalid_argument("there is no job: the input is empty; give a job as JSON");
  // Before anything that recurses.
  if (const int depth = json_shape(text).depth; depth > kJsonDepthMax)
    return invalid_argument("the input is nested " + std::to_string(depth) +
                            " levels deep, the limit is " + std::to_string(kJsonDepthMax));
  const Json whole = parse_exact<Json>(text);
  if (whole.is_discarded()) return split_lines(text);
  if (!whole.is_array()) return std::vector<std::string>{text};
  std::vector<std::string> documents;
  for (const Json& item : whole) documents.push_back(dump_exact(item));
  if (documents.empty())
    return invalid_argument("there is no job: the list is empty; give a list of jobs");
  return documents;
}

Result<std::vector<Job>> jobs_of(const SubmitArguments& arguments, const std::string& text,
                                 const JobContractLimits& limits,
                                 const std::function<std::string()>& new_id) {
  if (auto checked = check_encoding(arguments, text); !checked) return checked.error();
  std::vector<std::string> documents;
  if (arguments.file.empty()) {
    for (const std::string& question : arguments.questions)
      if (blank(question)) return usage_error("the question is empty");
    Json document = Json::object();
    document["messages"] = arguments.questions;
    documents.push_back(dump_exact(document));
  } else {
    auto split = split_documents(text);
    if (!split) return invalid_argument(file_text(arguments) + split.error().message);
    documents = std::move(*split);
  }
  if (documents.size() > 1 && !arguments.job_id.empty())
    return invalid_argument("--job-id can't name " + std::to_string(documents.size()) +
                            " jobs: leave it out, or give one job");
  std::vector<Job> jobs;
  for (std::size_t index = 0; index < documents.size(); ++index) {
    std::string place = file_text(arguments);
    if (documents.size() > 1) place += "jobs[" + std::to_string(index) + "]: ";
    Json document = parse_exact<Json>(documents[index]);
    if (!document.is_object()) return invalid_argument(place + "a job must be a JSON object");
    if (auto done = complete(document, arguments, new_id); !done)
      return usage_error(place + done.error().message);
    auto job = validated(document, place, limits);
    if (!job) return arguments.file.empty() ? usage_error(job.error().message) : job.error();
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

}  // namespace ba::cli
