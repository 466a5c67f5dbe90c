// SPDX-License-Identifier: Apache-2.0
// The document, its members and its limits.
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon_reader.hpp"
#include "pipeline/text/encoding/toon_token.hpp"

namespace ba {

Result<OrderedJson> ToonReader::document() {
  OrderedJson root = OrderedJson::object();
  if (lines_.has_line() && !root_value(root)) return error_;
  if (lines_.has_line() && strict_) {
    fail(lines_.line().number, "nothing may follow the end of the document's one value");
    return error_;
  }
  return Result<OrderedJson>(boost::system::in_place_value, std::move(root));
}

// ---- failing -----------------------------------------------------------------------------------

std::string ToonReader::counted(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what;
}

bool ToonReader::fail(std::size_t line, const std::string& what, ErrorCode code) {
  error_.code = code;
  error_.message = "line " + std::to_string(line) + ": " + what;
  return false;
}

bool ToonReader::limit(std::size_t line, const std::string& what) {
  return fail(line, what, ErrorCode::LimitExceeded);
}

bool ToonReader::expect(std::size_t line, std::size_t found, std::size_t declared,
                        const char* what) {
  if (!strict_ || found == declared) return true;
  return fail(line, "the header declares " + counted(declared, what) + ", but there are " +
                        std::to_string(found));
}

// ---- lines -------------------------------------------------------------------------------------

bool ToonReader::take(ToonLine& line) {
  line = lines_.line();
  lines_.advance();
  if (line.problem) return fail(line.number, line.problem);
  if (strict_ && line.after_blank && spans_ > 0)
    return fail(line.number, "a blank line stands within an array or table");
  return true;
}

bool ToonReader::below(int depth) const { return lines_.has_line() && lines_.line().depth > depth; }

int ToonReader::content_depth(int depth) const {
  return !strict_ && below(depth) ? lines_.line().depth : depth + 1;
}

bool ToonReader::no_orphans(int depth) {
  while (lines_.has_line() && lines_.line().depth > depth) {
    if (strict_)
      return fail(lines_.line().number, "the line is indented deeper than what it could belong to");
    lines_.advance();
  }
  return true;
}

// ---- document ----------------------------------------------------------------------------------

bool ToonReader::root_value(OrderedJson& root) {
  const ToonLine first = lines_.line();
  ToonLines rest = lines_;
  rest.advance();
  if (first.depth == 0) {
    ToonHeaderReading reading = read_toon_header(first.content);
    if (reading.header && !reading.header->key) {
      lines_.advance();
      return first.problem ? fail(first.number, first.problem)
                           : value_of(*reading.header, first.number, 0, root);
    }
    const bool scalar = !rest.has_line() && find_unquoted(first.content, ':', ':') == kNone;
    if (first.content == "[]" || scalar) {
      ToonLine line;
      if (!take(line)) return false;
      return field_value(line, first.content, root);
    }
  }
  return object_below(root, -1);
}

// ---- objects -----------------------------------------------------------------------------------

bool ToonReader::within_depth(std::size_t line, int more) {
  return levels_ + more <= kEncodedDepthMax ||
         limit(line, "nested deeper than " + counted(kEncodedDepthMax, "levels"));
}

bool ToonReader::object_below(OrderedJson& object, int depth) {
  ObjectMembers members(object);
  const Level level(levels_);
  const std::size_t line = lines_.has_line() ? lines_.line().number : 0;
  return within_depth(line) && members_below(members, depth);
}

bool ToonReader::members_below(ObjectMembers& members, int depth) {
  if (!lines_.has_line() || !below(depth)) return true;
  const int content = content_depth(depth);
  while (lines_.has_line() && lines_.line().depth >= content) {
    if (!no_orphans(content)) return false;
    if (!lines_.has_line() || lines_.line().depth < content) break;
    ToonLine line;
    if (!take(line) || !field(members, line, line.content, content)) return false;
  }
  return no_orphans(depth);
}

OrderedJson* ToonReader::slot(ObjectMembers& members, std::string name, std::size_t line) {
  const ObjectMembers::Place place = members.place(name);
  if (!place.fresh && strict_) {
    fail(line, "the name \"" + name.substr(0, 60) + "\" stands twice in one object");
    return nullptr;
  }
  if (members.size() > kEncodedMembersMax) {
    limit(line, "an object has more than " + counted(kEncodedMembersMax, "members"));
    return nullptr;
  }
  return place.value;
}

bool ToonReader::field(ObjectMembers& members, const ToonLine& line, std::string_view content,
                       int depth) {
  if (!within_depth(line.number)) return false;
  ToonHeaderReading reading = read_toon_header(content);
  if (reading.header && reading.header->key) {
    OrderedJson* value = slot(members, *reading.header->key, line.number);
    return value && value_of(*reading.header, line.number, depth, *value);
  }
  if (reading.header)
    reading.problem =
        "a header without a key stands only at the start of the document, or "
        "without fields behind a list item's hyphen";
  if (!reading.problem.empty() && strict_) return fail(line.number, reading.problem);
  const std::size_t colon = find_unquoted(content, ':', ':');
  if (colon == kNone)
    return fail(line.number, "a ':' is missing behind the member's name (NAME: VALUE)");
  std::string name;
  if (!key_of(line, content.substr(0, colon), name)) return false;
  OrderedJson* value = slot(members, std::move(name), line.number);
  if (!value) return false;
  const std::string_view token = without_spaces(content.substr(colon + 1));
  return token.empty() ? object_below(*value, depth) : field_value(line, token, *value);
}

bool ToonReader::key_of(const ToonLine& line, std::string_view text, std::string& name) {
  const std::string_view token = without_spaces(text);
  if (!token.starts_with('"')) {
    name = token;
    return true;
  }
  std::string why;
  auto quoted = read_toon_quoted(token, why);
  if (!quoted) return fail(line.number, why);
  name = std::move(*quoted);
  return true;
}

bool ToonReader::field_value(const ToonLine& line, std::string_view token, OrderedJson& value) {
  if (token != "[]") return primitive(line.number, token, value);
  value = OrderedJson::array();
  return within_depth(line.number, 1);
}

bool ToonReader::primitive(std::size_t line, std::string_view token, OrderedJson& value) {
  std::string why;
  auto read = read_toon_primitive(token, why);
  if (!read) return fail(line, why);
  value = std::move(*read);
  return true;
}

Result<OrderedJson> toon_decode(std::string_view text, const ToonReading& reading) {
  if (auto defect = encoded_text_defect(text)) return *defect;
  return ToonReader(text, reading).document();
}

}  // namespace ba
