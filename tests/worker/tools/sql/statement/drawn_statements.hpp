#pragma once
// SPDX-License-Identifier: Apache-2.0
// Statements on the flights of 2013 that are drawn at random, and other ways of writing each. For
// tests; one thread.

#include <cstdint>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ba::sql {

/// A statement is a list of tokens. What can be written in several ways that mean the same is one
/// of these: "~WORD", which may be left out; "cast|VALUE|TYPE"; "[" and "]", parentheses that may
/// be left out; "<>".
class DrawnStatements {
 public:
  using Tokens = std::vector<std::string>;

  explicit DrawnStatements(std::uint64_t seed) : random_(seed) {}

  /// Each has an order of rows in which equal ones are equal in all. A number is drawn for each #N,
  /// between 1 and N, and conditions for each ?.
  Tokens draw() {
    static const char* const kShapes[]{
        "select month , dest , dep_delay ~as late from flights where ? order by 1 , 2 , 3 limit "
        "#20",
        "select origin , count ( * ) ~as n from flights where ? group by origin order by 1 , 2 "
        "limit #20",
        "select a.name , f.flight , f.distance from flights ~as f ~inner join airlines ~as a using "
        "( carrier ) where ? order by 1 , 2 , 3 limit #20",
        "select p.manufacturer , count ( * ) ~as n from flights ~as f left ~outer join planes ~as "
        "p "
        "on [ f.tailnum = p.tailnum ] where ? group by 1 order by 2 desc , 1 limit #20",
        "select cast|distance|text ~as miles , cast|dep_delay|numeric ~as late , flight from "
        "flights where ? order by 1 , 2 , 3 limit #20",
        "select case when [ dep_delay > #60 ] then 'late' when dep_delay is null then 'none' else "
        "'punctual' end ~as how , count ( * ) ~as n from flights where ? group by 1 order by 1 "
        "limit #20",
        "select origin , min ( distance ) , max ( air_time ) , round ( avg ( dep_delay ) , 2 ) , "
        "count ( distinct dest ) from flights where ? group by origin having count ( * ) > #500 "
        "order by 1 limit #20",
        "select carrier , sum ( distance ) filter ( where [ month <= #12 ] ) ~as s from flights "
        "where ? group by carrier order by 1 limit #20",
        "select flight , distance , origin from flights where distance > ( select avg ( distance ) "
        "from flights where month = #12 ) and ( ? ) order by 1 , 2 , 3 limit #20",
        "select a.name from airlines ~as a where exists ( select 1 from flights where "
        "flights.carrier = a.carrier and ( ? ) ) order by 1 limit #20",
        "with late as ( select carrier , dep_delay from flights where ? ) select carrier , count ( "
        "* ) ~as n from late group by carrier order by 2 desc , 1 limit #20",
        "select dest from flights where ? union ~distinct select faa from airports where alt > "
        "#1000 order by 1 limit #20",
        "select origin , month , rank ( ) over ( partition by origin order by count ( * ) desc ) "
        "~as place from flights where ? group by origin , month order by 1 , 3 , 2 limit #20",
        "select distinct origin , dest from flights where carrier in ( select carrier from "
        "airlines "
        "where name like 'A%' ) and ( ? ) order by 1 , 2 limit #20",
        "select x.dest , x.n from ( select dest , count ( * ) ~as n from flights where ? group by "
        "dest ) ~as x where x.n > #100 order by 2 desc , 1 limit #20",
        "select coalesce ( dep_delay , #10 ) ~as late , [ month <> #12 ] ~as other , flight , "
        "distance from flights where ? order by 1 , 2 , 3 , 4 limit #20"};
    Tokens tokens;
    std::istringstream words(kShapes[below(static_cast<int>(std::size(kShapes)))]);
    for (std::string word; words >> word;) {
      if (word == "?")
        append(tokens, conditions());
      else if (word[0] == '#')
        tokens.push_back(std::to_string(1 + below(std::stoi(word.substr(1)))));
      else
        tokens.push_back(word);
    }
    return tokens;
  }

  /// With nothing in it that may be left out.
  static std::string plain(const Tokens& tokens) {
    std::string text;
    for (const std::string& token : tokens) {
      if (token[0] == '~' || token == "[" || token == "]") continue;
      text += (token.starts_with("cast|") ? cast(token, 0) : token) + " ";
    }
    return text;
  }

  /// The same statement, written in another way.
  std::string rewritten(const Tokens& tokens) {
    std::string text = one_in(3) ? " \n\t" : "";
    std::vector<bool> opened;
    for (const std::string& token : tokens) {
      if (token == "[") {
        opened.push_back(one_in(2));
        text += opened.back() ? "( " : "";
      } else if (token == "]") {
        text += opened.back() ? ") " : "";
        opened.pop_back();
      } else {
        text += in_other_words(token) + gap();
      }
    }
    return text + (one_in(3) ? ";" : "");
  }

  /// Another constant somewhere.
  Tokens changed(Tokens tokens) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (is_number(tokens[i]) && tokens[i - 1] != "by" && tokens[i - 1] != ",")
        numbers.push_back(i);
    std::string& number =
        tokens[numbers[static_cast<std::size_t>(below(static_cast<int>(numbers.size())))]];
    number = std::to_string(std::stol(number) + 1 + below(5));
    return tokens;
  }

 private:
  static bool is_number(const std::string& token) { return token[0] >= '0' && token[0] <= '9'; }
  static void append(Tokens& tokens, const Tokens& more) {
    tokens.insert(tokens.end(), more.begin(), more.end());
  }
  static std::string cast(const std::string& token, int form) {
    const std::size_t at = token.find('|', 5);
    const std::string value = token.substr(5, at - 5);
    const std::string type = token.substr(at + 1);
    if (form == 0) return "cast(" + value + " as " + type + ")";
    return form == 1 ? value + "::" + type : "(" + value + ") :: " + type;
  }

  int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  bool one_in(int n) { return below(n) == 0; }

  Tokens conditions() {
    Tokens tokens;
    for (int i = 0, count = 1 + below(3); i < count; ++i) {
      if (i > 0) tokens.push_back(one_in(3) ? "or" : "and");
      tokens.push_back("[");
      append(tokens, condition());
      tokens.push_back("]");
    }
    return tokens;
  }

  Tokens condition() {
    static const char* const kColumns[]{"month", "day", "distance", "flight", "air_time"};
    switch (below(6)) {
      case 0:
        return {kColumns[below(5)], ">", std::to_string(below(300))};
      case 1:
        return {"origin", "=", one_in(2) ? "'JFK'" : "'EWR'"};
      case 2:
        return {
            "month", "in", "(", std::to_string(1 + below(12)), ",", std::to_string(1 + below(12)),
            ")"};
      case 3:
        return {kColumns[below(5)], "<>", std::to_string(below(300))};
      case 4:
        return {"cast|month|text", "like", "'1%'"};
      default:
        return {"dep_delay", "between", std::to_string(below(10)), "and",
                std::to_string(10 + below(100))};
    }
  }

  std::string gap() {
    switch (below(6)) {
      case 0:
        return "\n";
      case 1:
        return " /* " + std::string(one_in(2) ? "now()" : "it's") + " */ ";
      case 2:
        return " -- said\n";
      default:
        return "  ";
    }
  }

  std::string in_other_words(const std::string& token) {
    if (token.starts_with("cast|")) return cast(token, below(3));
    if (token[0] == '~') return one_in(2) ? token.substr(1) : "";
    if (token == "<>") return one_in(2) ? "!=" : token;
    const bool name = token == "origin" || token == "dest" || token == "flights";
    if (name && one_in(4)) return "\"" + token + "\"";
    if (token[0] == '\'')
      return one_in(3) ? "$$" + token.substr(1, token.size() - 2) + "$$" : token;
    if (is_number(token) || !one_in(2)) return token;
    std::string other = token;
    for (char& c : other)
      if (c >= 'a' && c <= 'z' && one_in(2)) c = static_cast<char>(c - 'a' + 'A');
    return other;
  }

  std::mt19937_64 random_;
};

}  // namespace ba::sql
