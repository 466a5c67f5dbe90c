// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/progress_event.hpp"

#include <charconv>

#include "ba/v1/progress_event.pb.h"
#include "pipeline/base/enum_names.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr EnumNames<ProgressKind, 7> kKinds{{{ProgressKind::JobStarted, "job_started"},
                                             {ProgressKind::RoundStarted, "round_started"},
                                             {ProgressKind::StepFinished, "step_finished"},
                                             {ProgressKind::ToolCallStarted, "tool_call_started"},
                                             {ProgressKind::ToolCallFinished, "tool_call_finished"},
                                             {ProgressKind::RoundFinished, "round_finished"},
                                             {ProgressKind::JobFinished, "job_finished"}}};

constexpr int kSchemaVersion = 1;
constexpr std::size_t kBytesBesideTexts = 512;  // names, numbers and the time

void append_number(std::string& out, std::int64_t number) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

/// With leading zeros.
void append_digits(std::string& out, std::int64_t number, int digits) {
  char text[8];
  for (int place = digits; place-- > 0; number /= 10)
    text[place] = static_cast<char>('0' + number % 10);
  out.append(text, static_cast<std::size_t>(digits));
}

void add_number(ObjectWriter& object, std::string_view name, int number) {
  if (number != 0) append_number(object.member(name), number);
}

/// 64 bits stand as a string: readers that know doubles only would round them.
void add_count(ObjectWriter& object, std::string_view name, std::int64_t count) {
  if (count == 0) return;
  std::string& out = object.member(name) += '"';
  append_number(out, count);
  out += '"';
}

void append_usage(std::string& out, const Usage& usage) {
  ObjectWriter object(out);
  add_count(object, "input_tokens", usage.input_tokens);
  add_count(object, "cache_read_tokens", usage.cache_read_tokens);
  add_count(object, "cache_write_tokens", usage.cache_write_tokens);
  add_count(object, "output_tokens", usage.output_tokens);
  add_count(object, "thinking_tokens", usage.thinking_tokens);
}

/// No fraction, or three or six digits of it.
void append_fraction(std::string& out, std::int64_t micros) {
  if (micros == 0) return;
  out += '.';
  if (micros % 1000 == 0) return append_digits(out, micros / 1000, 3);
  append_digits(out, micros, 6);
}

/// As the library writes a Timestamp, which has the years 1 to 9999.
void append_time(std::string& out, WallTime time) {
  using namespace std::chrono;
  constexpr WallTime kBegin = sys_days{year{1} / January / 1};
  constexpr WallTime kEnd = sys_days{year{10'000} / January / 1};
  if (time < kBegin || time >= kEnd) {
    out += "\"InvalidTime\"";
    return;
  }
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  append_digits(out += '"', int{date.year()}, 4);
  append_digits(out += '-', unsigned{date.month()}, 2);
  append_digits(out += '-', unsigned{date.day()}, 2);
  append_digits(out += 'T', clock.hours().count(), 2);
  append_digits(out += ':', clock.minutes().count(), 2);
  append_digits(out += ':', clock.seconds().count(), 2);
  append_fraction(out, clock.subseconds().count());
  out += "Z\"";
}

std::size_t text_bytes(const ProgressEvent& event) {
  return event.tenant.value.size() + event.job_id.value.size() +
         event.conversation_id.value.size() + event.tool_name.size() + event.status.size() +
         event.text.size();
}

/// What has its default is left out, but for usage and time, which are messages.
std::string json_of(const ProgressEvent& event) {
  std::string json;
  json.reserve(kBytesBesideTexts + text_bytes(event));
  {
    ObjectWriter object(json);
    add_number(object, "schema_version", kSchemaVersion);
    object.text_if_any("tenant", event.tenant.value);
    object.text_if_any("job_id", event.job_id.value);
    object.text_if_any("conversation_id", event.conversation_id.value);
    object.text_if_any("kind", to_string(event.kind));
    add_number(object, "attempt", event.attempt);
    add_number(object, "round", event.round);
    add_number(object, "step", event.step);
    add_number(object, "index", event.index);
    object.text_if_any("tool_name", event.tool_name);
    object.text_if_any("status", event.status);
    object.text_if_any("text", event.text);
    append_usage(object.member("usage"), event.usage);
    append_time(object.member("time"), event.time);
  }
  return json;
}

}  // namespace

std::string_view to_string(ProgressKind kind) { return name_of(kKinds, kind); }

void set_progress(v1::ProgressEvent& proto, const ProgressEvent& event) {
  proto.set_schema_version(kSchemaVersion);
  proto.set_tenant(event.tenant.value);
  proto.set_job_id(event.job_id.value);
  proto.set_conversation_id(event.conversation_id.value);
  proto.set_kind(std::string(to_string(event.kind)));
  proto.set_attempt(event.attempt);
  proto.set_round(event.round);
  proto.set_step(event.step);
  proto.set_index(event.index);
  proto.set_tool_name(event.tool_name);
  proto.set_status(event.status);
  proto.set_text(event.text);
  set_usage(*proto.mutable_usage(), event.usage);
  set_time(*proto.mutable_time(), event.time);
}

std::string encode_progress(const ProgressEvent& event, Encoding encoding) {
  if (encoding == Encoding::Json) return json_of(event);
  v1::ProgressEvent proto;
  set_progress(proto, event);
  return canonical_bytes(proto);
}

}  // namespace ba
