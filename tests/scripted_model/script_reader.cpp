// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/script_reader.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/scripted_model/yaml_json.hpp"

namespace ba::scripted {

namespace {

using Json = nlohmann::ordered_json;

/// Thrown and caught in this file only: a script is read once, at start.
struct BadScript {
  std::string where;
  std::string what;
};

[[noreturn]] void bad(const std::string& where, const std::string& what) {
  throw BadScript{where, what};
}

void allow_only(const Json& object, std::initializer_list<std::string_view> keys,
                const std::string& where) {
  if (!object.is_object()) bad(where, "must be a map");
  for (const auto& member : object.items()) {
    if (std::find(keys.begin(), keys.end(), member.key()) == keys.end()) {
      bad(where + "." + member.key(), "unknown key");
    }
  }
}

std::string text_of(const Json& object, const char* key, const std::string& where,
                    std::string otherwise = {}) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number() || found->is_boolean()) return found->dump();
  bad(where + "." + key, "must be a text");
}

std::int64_t integer_of(const Json& object, const char* key, const std::string& where,
                        std::int64_t otherwise = 0) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_number_integer() || found->get<std::int64_t>() < 0) {
    bad(where + "." + key, "must be an integer of at least 0");
  }
  return found->get<std::int64_t>();
}

bool flag_of(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) bad(where + "." + key, "must be true or false");
  return found->get<bool>();
}

std::optional<std::int64_t> maybe_integer(const Json& object, const char* key,
                                          const std::string& where) {
  if (!object.contains(key)) return std::nullopt;
  return integer_of(object, key, where);
}

Template template_from(const std::string& text, const std::string& where) {
  Result<Template> parsed = Template::parse(text);
  if (parsed.has_error()) bad(where, parsed.error().message);
  return *std::move(parsed);
}

Fault read_fault(const Json& json, const std::string& where) {
  allow_only(
      json,
      {"times", "status", "headers", "error_type", "error_code", "body", "hang", "close",
       "cut_after_bytes", "stall_after_bytes", "chunk_bytes", "chunk_delay_ms", "stream_error"},
      where);
  Fault fault;
  fault.times = static_cast<int>(integer_of(json, "times", where));
  fault.status = static_cast<int>(integer_of(json, "status", where));
  if (fault.status != 0 && (fault.status < 300 || fault.status > 599)) {
    bad(where + ".status", "must be from 300 to 599");
  }
  if (const auto headers = json.find("headers"); headers != json.end()) {
    if (!headers->is_object()) bad(where + ".headers", "must be a map");
    for (const auto& header : headers->items()) {
      fault.headers.emplace_back(header.key(),
                                 text_of(*headers, header.key().c_str(), where + ".headers"));
    }
  }
  fault.error_type = text_of(json, "error_type", where);
  fault.error_code = text_of(json, "error_code", where);
  if (json.contains("body")) fault.body = text_of(json, "body", where);
  fault.hang = flag_of(json, "hang", where);
  fault.close = flag_of(json, "close", where);
  fault.cut_after_bytes = maybe_integer(json, "cut_after_bytes", where);
  fault.stall_after_bytes = maybe_integer(json, "stall_after_bytes", where);
  fault.chunk_bytes = static_cast<std::size_t>(integer_of(json, "chunk_bytes", where));
  fault.chunk_delay = std::chrono::milliseconds(integer_of(json, "chunk_delay_ms", where));
  fault.stream_error = text_of(json, "stream_error", where);
  return fault;
}

/// Whether a text inside the arguments is a template; each is tried now, so that a bad one is
/// found when the script is loaded.
bool has_templates(const Json& value, const std::string& where) {
  if (value.is_string()) {
    return !template_from(value.get<std::string>(), where).constant();
  }
  bool found = false;
  if (value.is_structured()) {
    for (const auto& child : value) found = has_templates(child, where) || found;
  }
  return found;
}

ScriptCall read_call(const Json& json, const std::string& where) {
  allow_only(json, {"name", "args", "raw_args", "id"}, where);
  ScriptCall call;
  call.name = text_of(json, "name", where);
  if (call.name.empty()) bad(where + ".name", "is missing");
  call.id = text_of(json, "id", where);
  if (json.contains("raw_args")) call.raw = text_of(json, "raw_args", where);
  if (const auto args = json.find("args"); args != json.end()) {
    if (!args->is_object()) bad(where + ".args", "must be a map");
    call.arguments = args->dump();
    call.templates = has_templates(*args, where + ".args");
  }
  return call;
}

ScriptUsage read_usage(const Json& json, const std::string& where) {
  allow_only(json,
             {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
              "thinking_tokens"},
             where);
  ScriptUsage usage;
  usage.input_tokens = maybe_integer(json, "input_tokens", where);
  usage.output_tokens = maybe_integer(json, "output_tokens", where);
  usage.cache_read_tokens = maybe_integer(json, "cache_read_tokens", where);
  usage.cache_write_tokens = maybe_integer(json, "cache_write_tokens", where);
  usage.thinking_tokens = maybe_integer(json, "thinking_tokens", where);
  return usage;
}

/// Calls `read(element, where)` for each element of a list that may be missing.
template <typename Read>
void for_each(const Json& object, const char* key, const std::string& where, Read read) {
  const auto list = object.find(key);
  if (list == object.end()) return;
  if (!list->is_array()) bad(where + "." + key, "must be a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    read((*list)[i], where + "." + key + "[" + std::to_string(i) + "]");
  }
}

ScriptStep read_step(const Json& json, const std::string& where) {
  allow_only(json,
             {"let", "require", "text", "thinking", "tool_calls", "duplicate_ids", "stop",
              "otherwise", "delay_ms", "event_delay_ms", "usage", "faults"},
             where);
  ScriptStep step;
  if (const auto let = json.find("let"); let != json.end()) {
    if (!let->is_object()) bad(where + ".let", "must be a map");
    for (const auto& member : let->items()) {
      step.variables.emplace_back(member.key(),
                                  template_from(text_of(*let, member.key().c_str(), where + ".let"),
                                                where + ".let." + member.key()));
    }
  }
  for_each(json, "require", where, [&](const Json& text, const std::string& at) {
    if (!text.is_string()) bad(at, "must be a text");
    step.required.push_back(template_from(text.get<std::string>(), at));
  });
  step.text = template_from(text_of(json, "text", where), where + ".text");
  if (json.contains("thinking")) {
    step.thinking = template_from(text_of(json, "thinking", where), where + ".thinking");
  }
  for_each(json, "tool_calls", where, [&](const Json& call, const std::string& at) {
    step.calls.push_back(read_call(call, at));
  });
  step.duplicate_ids = flag_of(json, "duplicate_ids", where);
  step.stop = text_of(json, "stop", where);
  step.otherwise = text_of(json, "otherwise", where, step.otherwise);
  step.delay = std::chrono::milliseconds(integer_of(json, "delay_ms", where));
  step.event_delay = std::chrono::milliseconds(integer_of(json, "event_delay_ms", where));
  if (const auto usage = json.find("usage"); usage != json.end()) {
    step.usage = read_usage(*usage, where + ".usage");
  }
  for_each(json, "faults", where, [&](const Json& fault, const std::string& at) {
    step.faults.push_back(read_fault(fault, at));
  });
  return step;
}

void read_when(const Json& json, ScriptEntry& entry, const std::string& where) {
  if (json.is_string()) {
    entry.when = json.get<std::string>();
    return;
  }
  allow_only(json, {"exact", "prefix", "regex"}, where);
  if (json.size() != 1) bad(where, "needs one of exact, prefix, regex");
  const std::string kind = json.begin().key();
  entry.when = text_of(json, kind.c_str(), where);
  if (kind == "prefix") entry.match = ScriptEntry::Match::Prefix;
  if (kind != "regex") return;
  entry.match = ScriptEntry::Match::Regex;
  entry.regex = std::make_unique<re2::RE2>(entry.when, re2::RE2::Quiet);
  if (!entry.regex->ok()) bad(where + ".regex", entry.regex->error());
}

ScriptEntry read_entry(const Json& json, const std::string& where) {
  allow_only(json, {"when", "then", "repeat_last"}, where);
  ScriptEntry entry;
  if (!json.contains("when")) bad(where + ".when", "is missing");
  read_when(json["when"], entry, where + ".when");
  for_each(json, "then", where, [&](const Json& step, const std::string& at) {
    entry.then.push_back(read_step(step, at));
  });
  if (entry.then.empty()) bad(where + ".then", "needs at least one step");
  entry.repeat_last = flag_of(json, "repeat_last", where);
  return entry;
}

}  // namespace

Result<std::vector<ScriptEntry>> read_script(const std::string& text, const std::string& name) {
  Result<std::string> json = yaml_to_json(text);
  if (json.has_error()) return invalid_argument(name + ": " + json.error().message);
  std::vector<ScriptEntry> entries;
  try {
    const Json document = Json::parse(*json);
    allow_only(document, {"entries"}, "script");
    for_each(document, "entries", "script", [&](const Json& entry, const std::string& at) {
      entries.push_back(read_entry(entry, at));
    });
  } catch (const BadScript& problem) {
    return invalid_argument(name + ": " + problem.where + ": " + problem.what);
  }
  return entries;
}

}  // namespace ba::scripted
