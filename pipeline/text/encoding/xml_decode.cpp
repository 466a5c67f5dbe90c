// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/decimal.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "pipeline/text/encoding/xml_text.hpp"

namespace ba {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// An opening tag.
struct Tag {
  std::string_view name;
  std::string type;                   ///< "" or one of string, object, array, escaped
  std::optional<std::string> member;  ///< of name="…" or escaped="…"
  bool closed = false;                ///< <name/>
};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

/// Reads one document. Every function answers whether it is well so far; `error_` says why not.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<OrderedJson> document() {
    OrderedJson value;
    skip_space();
    Tag root;
    if (!open(root)) return error_;
    if (root.name == "data" ? !content(root, value) : !tool_result(root, value)) return error_;
    skip_space();
    if (at_ < text_.size()) {
      fail("nothing may follow the document's one element");
      return error_;
    }
    return Result<OrderedJson>(boost::system::in_place_value, std::move(value));
  }

 private:
  bool fail(const std::string& what, ErrorCode code = ErrorCode::InvalidArgument) {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    error_.code = code;
    error_.message =
        "line " + std::to_string(1 + std::count(text_.begin(), end, '\n')) + ": " + what;
    return false;
  }

  bool limit(const std::string& what) { return fail(what, ErrorCode::LimitExceeded); }

  bool too_deep() {
    return limit("nested deeper than " + std::to_string(kEncodedDepthMax) + " levels");
  }

  std::string_view rest() const { return text_.substr(at_); }
  bool ahead(std::string_view what) const { return rest().starts_with(what); }
  bool take(std::string_view what) {
    if (!ahead(what)) return false;
    at_ += what.size();
    return true;
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size()); }

  bool tool_result(const Tag& root, OrderedJson& value) {
    if (root.name != "tool_result" || root.closed)
      return fail("the document must be <tool_result name=\"…\"> or <data>");
    skip_space();
    Tag tag;
    if (!open(tag)) return false;
    if (tag.name == "summary") {
      OrderedJson ignored;
      if (!content(tag, ignored)) return false;
      skip_space();
      tag = Tag();
      if (!open(tag)) return false;
    }
    if (tag.name != "data") return fail("<data> must stand here");
    if (!content(tag, value)) return false;
    skip_space();
    return take("</tool_result>") || fail("</tool_result> must stand here");
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool open(Tag& tag) {
    if (!take("<")) return fail("an element must begin here: <NAME>");
    tag.name = name();
    if (tag.name.empty())
      return fail(
          "after '<' comes an element's name; comments, CDATA and declarations aren't read");
    while (ahead(" "))
      if (!attribute(tag)) return false;
    tag.closed = take("/>");
    return tag.closed || take(">") || fail("'>' is missing behind the element's name");
  }

  bool attribute(Tag& tag) {
    ++at_;
    const std::string_view key = name();
    if (!take("=\"")) return fail("an attribute is written NAME=\"VALUE\"");
    const std::size_t end = text_.find_first_of("\"<", at_);
    if (end == std::string_view::npos || text_[end] == '<')
      return fail("an attribute's closing '\"' is missing");
    auto value = xml_text_of(text_.substr(at_, end - at_));
    if (!value) return bad_entity();
    at_ = end + 1;
    return store(tag, key, std::move(*value));
  }

  bool store(Tag& tag, std::string_view key, std::string value) {
    if (key == "type" && tag.type.empty()) {
      tag.type = std::move(value);
      if (tag.type == "string" || tag.type == "object" || tag.type == "array" ||
          tag.type == "escaped")
        return true;
      return fail("type must be string, object, array or escaped");
    }
    if (key == "name" && !tag.member) {
      tag.member = std::move(value);
      return true;
    }
    if (key != "escaped" || tag.member) return fail("attributes are type, and name or escaped");
    tag.member = xml_unescaped(value);
    return tag.member || bad_escape();
  }

  bool bad_entity() {
    return fail("an unknown entity; allowed are &lt; &gt; &amp; &quot; &apos; &#N; and &#xN;");
  }
  bool bad_escape() { return fail(R"(an unknown escape; allowed are \\ and \uXXXX)"); }

  bool close(std::string_view tag_name) {
    const std::size_t begin = at_;
    if (take("</") && take(tag_name) && take(">")) return true;
    at_ = begin;
    return fail("</" + std::string(tag_name.substr(0, 60)) + "> must stand here");
  }

  /// What the element holds, and its end.
  bool content(const Tag& tag, OrderedJson& value) {
    if (tag.closed) return leaf(tag, "", value);
    const std::size_t begin = at_;
    skip_space();
    if (ahead("<") && !ahead("</")) return children(tag, value) && close(tag.name);
    at_ = std::min(text_.find('<', begin), text_.size());
    const std::string_view raw = text_.substr(begin, at_ - begin);
    return leaf(tag, raw, value) && close(tag.name);
  }

  bool leaf(const Tag& tag, std::string_view raw, OrderedJson& value) {
    if (tag.type == "object" || tag.type == "array") {
      if (raw.find_first_not_of(kSpace) != std::string_view::npos)
        return fail("an element of type " + tag.type + " holds elements only");
      value = tag.type == "object" ? OrderedJson::object() : OrderedJson::array();
      return levels_ < kEncodedDepthMax || too_deep();
    }
    auto text = xml_text_of(raw);
    if (!text) return bad_entity();
    if (tag.type.empty()) return untyped(std::move(*text), value);
    if (tag.type == "escaped") {
      text = xml_unescaped(*text);
      if (!text) return bad_escape();
    }
    value = std::move(*text);
    return true;
  }

  bool untyped(std::string text, OrderedJson& value) {
    if (text == "null") {
      value = nullptr;
    } else if (text == "true" || text == "false") {
      value = text == "true";
    } else if (!is_json_number(text)) {
      value = std::move(text);
    } else if (auto number = number_of(text)) {
      value = std::move(*number);
    } else {
      return fail(std::string(number_problem(text)) + "; mark it with type=\"string\"");
    }
    return true;
  }

  /// Elements until the end of the one that they are in: an array when the first is <item>.
  bool children(const Tag& tag, OrderedJson& value) {
    if (++levels_ > kEncodedDepthMax) return too_deep();
    const bool array = tag.type.empty() ? first_is_item() : tag.type == "array";
    if (tag.type == "string" || tag.type == "escaped")
      return fail("an element of type " + tag.type + " holds text only");
    const bool good = array ? elements(value) : members(value);
    --levels_;
    return good;
  }

  bool first_is_item() const { return ahead("<item>") || ahead("<item/>") || ahead("<item "); }

  bool at_child() {
    skip_space();
    return ahead("<") && !ahead("</");
  }

  bool elements(OrderedJson& array) {
    array = OrderedJson::array();
    while (at_child()) {
      Tag tag;
      if (!open(tag)) return false;
      if (tag.name != "item" || tag.member) return fail("an array holds <item> elements only");
      if (!content(tag, array.emplace_back())) return false;
    }
    return true;
  }

  bool members(OrderedJson& object) {
    ObjectMembers members(object);
    while (at_child()) {
      Tag tag;
      if (!open(tag)) return false;
      if (tag.member && tag.name != "key")
        return fail("name and escaped are attributes of <key> only");
      const ObjectMembers::Place place =
          members.place(tag.member ? std::move(*tag.member) : std::string(tag.name));
      if (!place.fresh) return fail("a member's name stands twice in one object");
      if (members.size() > kEncodedMembersMax)
        return limit("an object has more than " + std::to_string(kEncodedMembersMax) + " members");
      if (!content(tag, *place.value)) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int levels_ = 0;
  Error error_;
};

}  // namespace

Result<OrderedJson> xml_decode(std::string_view text) {
  if (auto defect = encoded_text_defect(text)) return *defect;
  return Reader(text).document();
}

}  // namespace ba
