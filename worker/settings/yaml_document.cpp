// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <vector>

#include "pipeline/base/decimal.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/settings/yaml_mending.hpp"

namespace ba::settings {
namespace {

constexpr int kWrappers = 2;  // `result:` and `data:` around the value
constexpr std::size_t kDepthMax = kEncodedDepthMax + kWrappers;

/// Leaves the parser from inside one of its events.
struct Refused : std::runtime_error {
  Refused(const YAML::Mark& mark, const std::string& what, ErrorCode code)
      : std::runtime_error("line " + std::to_string(mark.line + 1) + ": " + what), code(code) {}
  ErrorCode code;
};

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) {
  throw Refused(mark, what, ErrorCode::InvalidArgument);
}

/// A text as a stream, without a copy of it.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // it is only read
    setg(begin, begin, begin + text.size());
  }
};

/// What a plain scalar means.
OrderedJson plain(const YAML::Mark& mark, const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (!is_json_number(text)) return text;
  auto number = yaml_number_of(text);
  if (!number) refuse(mark, std::string(number_problem(text)) + "; put it in quotes");
  return *number;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  OrderedJson take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_anchor(mark, anchor);
    next(mark) = nullptr;
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases aren't read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& raw) override {
    check_anchor(mark, anchor);
    const std::string value = settings::with_whole_escapes(raw);
    if (tag.size() > 1) refuse(mark, "tags aren't read: " + tag.substr(0, 60));
    if (waiting_for_key()) return take_key(mark, value);
    const bool quoted = tag == "!";
    next(mark) = quoted ? OrderedJson(value) : plain(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    OrderedJson& array = open(mark, tag, anchor);
    array = OrderedJson::array();
    open_.push_back({&array, std::nullopt, nullptr});
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    OrderedJson& object = open(mark, tag, anchor);
    open_.push_back({&object, ObjectMembers(object), nullptr});
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    OrderedJson* container = nullptr;
    std::optional<ObjectMembers> members;  // of an object
    OrderedJson* slot = nullptr;           // of the member whose name came last
  };

  static void check_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) refuse(mark, "anchors aren't read");
  }

  bool waiting_for_key() const {
    return !open_.empty() && open_.back().members && !open_.back().slot;
  }

  void take_key(const YAML::Mark& mark, const std::string& name) {
    Open& object = open_.back();
    const ObjectMembers::Place place = object.members->place(name);
    if (!place.fresh)
      refuse(mark, "the name \"" + name.substr(0, 60) + "\" stands twice in one object");
    if (object.members->size() > kEncodedMembersMax)
      throw Refused(mark,
                    "an object has more than " + std::to_string(kEncodedMembersMax) + " members",
                    ErrorCode::LimitExceeded);
    object.slot = place.value;
  }

  /// Where the value goes that comes now.
  OrderedJson& next(const YAML::Mark& mark) {
    if (open_.empty()) return root_;
    if (waiting_for_key()) refuse(mark, "a member's name must be a string");
    Open& parent = open_.back();
    if (!parent.members) return parent.container->emplace_back();
    return *std::exchange(parent.slot, nullptr);
  }

  OrderedJson& open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_anchor(mark, anchor);
    if (tag.size() > 1) refuse(mark, "tags aren't read: " + tag.substr(0, 60));
    if (open_.size() >= kDepthMax)
      throw Refused(mark, "nested deeper than " + std::to_string(kDepthMax) + " levels",
                    ErrorCode::LimitExceeded);
    return next(mark);
  }

  OrderedJson root_;
  std::vector<Open> open_;
};

Error refused(const std::string& why, ErrorCode code = ErrorCode::InvalidArgument) {
  Error error = invalid_argument(why);
  error.code = code;
  return error;
}

OrderedJson parsed(std::string_view text) {
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  TreeBuilder builder;
  if (parser.HandleNextDocument(builder)) {
    TreeBuilder second;
    if (parser.HandleNextDocument(second))
      throw Refused(YAML::Mark::null_mark(), "more than one document", ErrorCode::InvalidArgument);
  }
  return builder.take();
}

}  // namespace

Result<OrderedJson> yaml_decode(std::string_view text) {
  if (text.size() > kEncodedBytesMax)
    return refused("larger than " + std::to_string(kEncodedBytesMax) + " bytes",
                   ErrorCode::LimitExceeded);
  if (const auto defect = utf8_defect(text)) return refused(describe_utf8_defect(text, *defect));
  try {
    return Result<OrderedJson>(boost::system::in_place_value, parsed(text));
  } catch (const Refused& error) {
    return refused(error.what(), error.code);
  } catch (const YAML::Exception& error) {
    return refused("line " + std::to_string(error.mark.line + 1) +
                   ": not valid YAML: " + error.msg);
  } catch (const std::exception& error) {
    return refused(std::string("not valid YAML: ") + error.what());
  }
}

Result<OrderedJson> yaml_decode_result(std::string_view text) {
  auto document = yaml_decode(text);
  if (!document) return document;
  const auto result = document->is_object() ? document->find("result") : document->end();
  if (document->size() == 1 && result != document->end() && result->is_object())
    if (const auto data = result->find("data"); data != result->end())
      return Result<OrderedJson>(boost::system::in_place_value, std::move(*data));
  return refused("the document must be `result:` with `data` and `summary`");
}

}  // namespace ba::settings
