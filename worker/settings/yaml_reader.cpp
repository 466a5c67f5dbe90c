// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "worker/settings/yaml_mending.hpp"

namespace ba::settings {
namespace {

/// Leaves the parser from inside one of its events.
struct Refused : std::runtime_error {
  Refused(const YAML::Mark& at, const std::string& what) : std::runtime_error(what), mark(at) {}
  YAML::Mark mark;
};

Origin origin_at(const std::string& file, const YAML::Mark& mark) {
  return {Origin::Kind::File, file, mark.line + 1, mark.column + 1};
}

/// Builds the tree from the parser's events; `open_` is the path to the node being filled.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_leaf(make(Node::Kind::Null, mark), anchor, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) throw Refused(mark, "alias inside its own anchor");
    count(known->second.nodes, mark);
    Node copy = known->second.node;
    copy.beyond_strict = true;
    if (waiting_for_key()) throw Refused(mark, "an alias can't be a key");
    put(std::move(copy));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& raw) override {
    std::string value = with_whole_escapes(raw);
    if (tag.size() > 1 && tag != "tag:yaml.org,2002:str")
      throw Refused(mark, "tags (!…) are not supported; a text that begins with ! needs quotes");
    if (waiting_for_key()) {
      take_key(mark, value);
      return;
    }
    Node node = make(Node::Kind::Scalar, mark);
    node.scalar = std::move(value);
    node.beyond_strict = tag.size() > 1 || anchor != 0;
    add_leaf(std::move(node), anchor, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(make(Node::Kind::List, mark), anchor, mark);
    open_.back().node.beyond_strict = beyond_strict(tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(make(Node::Kind::Map, mark), anchor, mark);
    open_.back().node.beyond_strict = beyond_strict(tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
  };
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::size_t nodes_before = 0;
    bool has_key = false;
    std::string key;
    Origin key_origin;
  };

  static bool beyond_strict(const std::string& tag, YAML::anchor_t anchor,
                            YAML::EmitterStyle::value style) {
    const bool tagged = tag.size() > 1;
    return tagged || anchor != 0 || style == YAML::EmitterStyle::Flow;
  }

  Origin origin(const YAML::Mark& mark) const { return origin_at(file_, mark); }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    count(1, mark);
    Node node;
    node.kind = kind;
    node.origin = origin(mark);
    return node;
  }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ > kYamlNodesMax)
      throw Refused(mark, "more than " + std::to_string(kYamlNodesMax) +
                              " values (aliases count with all they stand for)");
  }

  bool waiting_for_key() const {
    return !open_.empty() && open_.back().node.kind == Node::Kind::Map && !open_.back().has_key;
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    Open& map = open_.back();
    if (key == "<<") throw Refused(mark, "merge keys (<<) are not supported");
    if (const Node* first = map.node.find(key))
      throw Refused(mark, "key \"" + key + "\" stands twice (first in line " +
                              std::to_string(first->origin.line) + ")");
    map.has_key = true;
    map.key = key;
    map.key_origin = origin(mark);
  }

  void open(Node node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (waiting_for_key()) throw Refused(mark, "a key must be a plain text");
    if (open_.size() >= kYamlDepthMax)
      throw Refused(mark, "nested deeper than " + std::to_string(kYamlDepthMax) + " levels");
    Open opened;
    opened.node = std::move(node);
    opened.anchor = anchor;
    opened.nodes_before = nodes_ - 1;
    open_.push_back(std::move(opened));
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = {done.node, nodes_ - done.nodes_before};
    put(std::move(done.node));
  }

  void add_leaf(Node node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (waiting_for_key()) throw Refused(mark, "a key must be a plain text");
    if (anchor != 0) anchors_[anchor] = {node, 1};
    put(std::move(node));
  }

  void put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::List) {
      parent.node.items.push_back(std::move(node));
      return;
    }
    parent.node.entries.push_back(Entry{parent.key, parent.key_origin, std::move(node)});
    parent.has_key = false;
  }

  const std::string& file_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
};

/// The first place where a tab indents, or none: there, the library's words lead astray.
std::optional<YAML::Mark> indenting_tab(std::string_view text) {
  YAML::Mark mark;
  for (std::size_t at = 0; at < text.size(); ++mark.line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(' ');
    mark.column = static_cast<int>(first);
    if (first != std::string_view::npos && line[first] == '\t') return mark;
    at = end + 1;
  }
  return std::nullopt;
}

/// The library names the line after the last one where the text ends too early.
Origin within(std::string_view text, Origin place) {
  const std::string_view lines = text.substr(0, text.find_last_not_of('\n') + 1);
  const int last = 1 + static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  if (place.line > last) place.line = last, place.column = 0;
  return place;
}

/// The text's only document; Null where it is empty.
std::variant<Node, Refusal> parsed(std::string_view text, const std::string& file) {
  const Origin whole{Origin::Kind::File, file};
  if (text.size() > kYamlBytesMax)
    return Refusal{whole, "larger than " + std::to_string(kYamlBytesMax) + " bytes"};
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(file);
    if (parser.HandleNextDocument(builder)) {
      TreeBuilder second(file);
      if (parser.HandleNextDocument(second)) return Refusal{whole, "more than one document"};
    }
    return builder.take();
  } catch (const Refused& error) {
    return Refusal{origin_at(file, error.mark), error.what()};
  } catch (const YAML::Exception& error) {
    if (const auto tab = indenting_tab(text))
      return Refusal{origin_at(file, *tab),
                     "not valid YAML: the line is indented with a tab; YAML allows spaces only"};
    return Refusal{within(text, origin_at(file, error.mark)), "not valid YAML: " + error.msg};
  } catch (const std::exception& error) {
    return Refusal{whole, std::string("not valid YAML: ") + error.what()};
  }
}

void set_origin(Node& node, const Origin& origin) {
  node.origin = origin;
  for (Node& item : node.items) set_origin(item, origin);
  for (Entry& entry : node.entries) {
    entry.origin = origin;
    set_origin(entry.value, origin);
  }
}

}  // namespace

std::variant<Node, Refusal> parse_yaml(std::string_view text, const std::string& file,
                                       std::string_view wanted) {
  auto document = parsed(text, file);
  if (std::holds_alternative<Refusal>(document)) return document;
  Node& root = std::get<Node>(document);
  if (root.kind == Node::Kind::Null) {
    root.kind = Node::Kind::Map;
    root.origin = Origin{Origin::Kind::File, file, 1};
  }
  if (root.kind != Node::Kind::Map)
    return Refusal{root.origin, "must be a map of " + std::string(wanted)};
  return document;
}

Result<Node> read_yaml(std::string_view text, const std::string& file, std::string_view wanted) {
  auto document = parse_yaml(text, file, wanted);
  if (const auto* refusal = std::get_if<Refusal>(&document))
    return invalid_argument(refusal->text());
  return std::get<Node>(std::move(document));
}

bool says_nothing(std::string_view text) {
  const auto document = parsed(text, "");
  const auto* root = std::get_if<Node>(&document);
  return root != nullptr && root->kind == Node::Kind::Null;
}

bool looks_like_flow(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
}

Result<Node> read_flow(std::string_view text, const Origin& origin) {
  auto document = parsed(text, origin.name);
  if (const auto* refusal = std::get_if<Refusal>(&document)) {
    const std::string unclosed = unclosed_flow(text);
    return invalid_argument(unclosed.empty() ? refusal->why : unclosed);
  }
  Node& root = std::get<Node>(document);
  if (root.kind != Node::Kind::List && root.kind != Node::Kind::Map)
    return invalid_argument("neither a list nor a map");
  set_origin(root, origin);
  return std::move(root);
}

}  // namespace ba::settings
