// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/exact_json.hpp"

#include <vector>

namespace ba {
namespace {

/// The library's own words, put together here: its parser ends at a number that no double holds,
/// and tells nobody how an integer was written.
template <typename Json, typename Sax>
class Reader {
 public:
  Reader(std::string_view text, Sax& sax)
      : lexer_(nlohmann::detail::input_adapter(text.data(), text.data() + text.size())),
        sax_(sax) {}

  bool document() {
    token_ = lexer_.scan();
    for (;;) {
      bool begun = false;
      if (!value(begun)) return false;
      if (begun) continue;
      if (!behind_value()) return false;
      if (open_.empty()) return true;
    }
  }

 private:
  using Adapter = decltype(nlohmann::detail::input_adapter(std::declval<const char*>(),
                                                           std::declval<const char*>()));
  using Lexer = nlohmann::detail::lexer<Json, Adapter>;
  using Token = typename Lexer::token_type;

  /// `begun`: a container that has members.
  bool value(bool& begun) {
    switch (token_) {
      case Token::begin_object:
        return sax_.start_object(std::size_t(-1)) && container(Token::end_object, begun);
      case Token::begin_array:
        return sax_.start_array(std::size_t(-1)) && container(Token::end_array, begun);
      case Token::value_string:
        return sax_.string(lexer_.get_string());
      case Token::literal_null:
        return sax_.null();
      case Token::literal_true:
        return sax_.boolean(true);
      case Token::literal_false:
        return sax_.boolean(false);
      default:
        return number();
    }
  }

  bool container(Token end, bool& begun) {
    token_ = lexer_.scan();
    open_.push_back(end);
    if (token_ == end) return close();
    begun = true;
    return end == Token::end_array || name();
  }

  bool close() {
    const bool object = open_.back() == Token::end_object;
    open_.pop_back();
    return object ? sax_.end_object() : sax_.end_array();
  }

  bool name() {
    if (token_ != Token::value_string || !sax_.key(lexer_.get_string())) return false;
    if (lexer_.scan() != Token::name_separator) return false;
    token_ = lexer_.scan();
    return true;
  }

  /// To the next value, or the end of the text.
  bool behind_value() {
    for (;;) {
      token_ = lexer_.scan();
      if (open_.empty()) return token_ == Token::end_of_input;
      if (token_ == Token::value_separator) {
        token_ = lexer_.scan();
        return open_.back() == Token::end_array || name();
      }
      if (token_ != open_.back() || !close()) return false;
    }
  }

  bool number() {
    switch (token_) {
      case Token::value_unsigned:
        return sax_.number_unsigned(lexer_.get_number_unsigned());
      case Token::value_integer:  // begins with a minus
        if (lexer_.get_number_integer() == 0) return kept("-0");
        return sax_.number_integer(lexer_.get_number_integer());
      case Token::value_float:
        return real(lexer_.get_number_float(), lexer_.get_string());
      default:
        return false;
    }
  }

  bool real(double value, const std::string& text) {
    if (double_writes(value, text)) return sax_.number_float(value, text);
    return number_problem(text) == nullptr && kept(text);
  }

  bool kept(std::string_view text) {
    typename Json::binary_t bytes(
        typename Json::binary_t::container_type(text.begin(), text.end()));
    return sax_.binary(bytes);
  }

  Lexer lexer_;
  Sax& sax_;
  Token token_ = Token::uninitialized;
  std::vector<Token> open_;  ///< what ends each
};

/// To the library a NUL byte is the end of the text.
bool has_nul(std::string_view text) { return text.find('\0') != text.npos; }

template <typename Json>
bool has_kept(const Json& value) {
  if (is_kept_number(value)) return true;
  if (value.is_structured())
    for (const Json& inner : value)
      if (has_kept(inner)) return true;
  return false;
}

/// Lays out as the library does.
template <typename Json>
class Writer {
 public:
  Writer(std::string& out, int indent)
      : out_(out),
        leaves_(nlohmann::detail::output_adapter<char, std::string>(out), ' ',
                Json::error_handler_t::replace),
        indent_(indent) {}

  void write(const Json& value, int depth) {
    if (is_kept_number(value))
      out_ += kept_text(value);
    else if (!value.is_structured() || value.empty())
      leaves_.dump(value, false, false, 0);
    else if (value.is_object())
      object(value, depth + 1);
    else
      array(value, depth + 1);
  }

 private:
  void object(const Json& value, int depth) {
    out_ += '{';
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (member != value.begin()) out_ += ',';
      line(depth);
      leaves_.dump(Json(member.key()), false, false, 0);
      out_ += indent_ < 0 ? ":" : ": ";
      write(*member, depth);
    }
    line(depth - 1);
    out_ += '}';
  }

  void array(const Json& value, int depth) {
    out_ += '[';
    for (auto item = value.begin(); item != value.end(); ++item) {
      if (item != value.begin()) out_ += ',';
      line(depth);
      write(*item, depth);
    }
    line(depth - 1);
    out_ += ']';
  }

  void line(int depth) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_ * depth), ' ');
  }

  std::string& out_;
  nlohmann::detail::serializer<Json> leaves_;
  const int indent_;
};

}  // namespace

template <typename Json>
bool sax_exact(std::string_view text, nlohmann::json_sax<Json>& sax) {
  return !has_nul(text) && Reader<Json, nlohmann::json_sax<Json>>(text, sax).document();
}

template <typename Json>
Json parse_exact(std::string_view text) {
  Json value;
  nlohmann::detail::json_sax_dom_parser<Json> tree(value, false);
  if (has_nul(text) || !Reader<Json, decltype(tree)>(text, tree).document())
    return Json(Json::value_t::discarded);
  return value;
}

template <typename Json>
Json parse_exact_known(std::string_view text) {
  Json value = parse_exact<Json>(text);
  if (value.is_discarded()) return Json::parse(text);  // which says what is wrong
  return value;
}

bool accept_exact(std::string_view text) {
  using Json = nlohmann::json;
  nlohmann::detail::json_sax_acceptor<Json> acceptor;
  return !has_nul(text) && Reader<Json, decltype(acceptor)>(text, acceptor).document();
}

template <typename Json>
std::string dump_exact(const Json& value, int indent) {
  if (!has_kept(value)) return value.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string out;
  Writer<Json>(out, indent).write(value, 0);
  return out;
}

template nlohmann::json parse_exact(std::string_view);
template nlohmann::ordered_json parse_exact(std::string_view);
template nlohmann::json parse_exact_known(std::string_view);
template nlohmann::ordered_json parse_exact_known(std::string_view);
template bool sax_exact(std::string_view, nlohmann::json_sax<nlohmann::json>&);
template bool sax_exact(std::string_view, nlohmann::json_sax<nlohmann::ordered_json>&);
template std::string dump_exact(const nlohmann::json&, int);
template std::string dump_exact(const nlohmann::ordered_json&, int);

}  // namespace ba
