// SPDX-License-Identifier: Apache-2.0
// The published cases of the format's specification, all of them; see data/toon/README.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/toon.hpp"

namespace ba {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = "tests/pipeline/text/encoding/data/toon";

OrderedJson json_of(const fs::path& file) {
  std::ifstream stream(file);
  return OrderedJson::parse(stream);
}

std::string text_or(const OrderedJson& object, const char* key, const std::string& otherwise) {
  return object.is_object() && object.contains(key) ? object[key].get<std::string>() : otherwise;
}

template <typename T>
T option(const OrderedJson& test, const char* key, T otherwise) {
  return test.contains("options") ? test["options"].value(key, otherwise) : otherwise;
}

bool encodes(const OrderedJson& test) {
  ToonWriting writing;
  writing.indent = option(test, "indentSize", option(test, "indent", 2));
  writing.delimiter = option(test, "delimiter", std::string(",")).front();
  const std::string text = toon_encode(test["input"], writing);
  return text == test["expected"].get<std::string>();
}

/// Our reader keeps a number as it is written, 1.5000, which is a double to the fixtures.
OrderedJson with_doubles(OrderedJson value) {
  if (is_kept_number(value)) return nearest_double(value);
  if (value.is_structured())
    for (auto& inner : value) inner = with_doubles(std::move(inner));
  return value;
}

/// The order of members counts; numbers by value.
bool decodes(const OrderedJson& test) {
  ToonReading reading;
  reading.indent = option(test, "indentSize", option(test, "indent", 2));
  reading.strict = option(test, "strict", true);
  const auto value = toon_decode(test["input"].get<std::string>(), reading);
  if (test.value("shouldError", false)) return !value;
  return value && with_doubles(*value) == test["expected"];
}

/// "decode/numbers.json: NAME" of all that don't hold; counts the cases.
std::set<std::string> failing(const fs::path& folder, std::size_t& count) {
  std::set<std::string> names;
  for (const char* kind : {"encode", "decode"}) {
    for (const auto& file : fs::directory_iterator(folder / kind)) {
      const OrderedJson cases = json_of(file.path());
      for (const OrderedJson& test : cases["tests"]) {
        ++count;
        const bool good = kind == std::string("encode") ? encodes(test) : decodes(test);
        if (!good)
          names.insert(std::string(kind) + "/" + file.path().filename().string() + ": " +
                       text_or(test, "name", ""));
      }
    }
  }
  return names;
}

TEST(ToonFixtures, AllHoldButThoseThatSpecificationFourChanged) {
  std::size_t releases = 0;
  for (const auto& release : fs::directory_iterator(kFixtures)) {
    if (!release.is_directory()) continue;
    ++releases;
    std::set<std::string> known;
    const fs::path list = release.path() / "changed.json";
    if (fs::exists(list)) {
      const OrderedJson changed = json_of(list);
      for (const auto& [name, reason] : changed.items()) {
        EXPECT_FALSE(reason.get<std::string>().empty()) << name;
        known.insert(name);
      }
    }
    std::size_t count = 0;
    const std::set<std::string> names = failing(release.path(), count);
    EXPECT_EQ(names, known) << release.path();
    EXPECT_GT(count, 0U);
    std::cout << release.path().filename().string() << ": " << count - names.size() << " of "
              << count << " cases hold\n";
  }
  EXPECT_GT(releases, 0U);
}

}  // namespace
}  // namespace ba
