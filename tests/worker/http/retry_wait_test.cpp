// SPDX-License-Identifier: Apache-2.0
#include "worker/http/retry_wait.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ba::http {
namespace {

using Row = std::pair<std::string, std::optional<Milliseconds>>;

TEST(WaitText, ReadsDurationsInEachForm) {
  const std::vector<Row> rows = {{"38.5s", Milliseconds(38'500)},
                                 {"45.000s", Milliseconds(45'000)},
                                 {"6m0s", Milliseconds(360'000)},
                                 {"1m30.5s", Milliseconds(90'500)},
                                 {"1h", Milliseconds(3'600'000)},
                                 {"850ms", Milliseconds(850)},
                                 {"2 minutes", Milliseconds(120'000)},
                                 {"1 minute and 30 seconds", Milliseconds(90'000)},
                                 {"1 min, 5 sec", Milliseconds(65'000)},
                                 {"30S", Milliseconds(30'000)},
                                 {"1e300s", std::nullopt},
                                 {"99999999999h", Milliseconds(1'000'000'000'000)},
                                 {"30", std::nullopt},
                                 {"0s", std::nullopt},
                                 {"-1s", std::nullopt},
                                 {"30s or so", std::nullopt},
                                 {"soon", std::nullopt},
                                 {"", std::nullopt},
                                 {"s", std::nullopt}};
  for (const auto& [text, wait] : rows) EXPECT_EQ(parse_duration(text), wait) << text;
}

TEST(WaitText, FindsTheWaitInASentence) {
  const std::vector<Row> rows = {
      {"Rate limit reached on tokens per min (TPM). Please try again in 38.5s.",
       Milliseconds(38'500)},
      {"You exceeded your current quota. Please retry in 45.000s.", Milliseconds(45'000)},
      {"Limit 6000, Used 5800. Please try again in 1m2.5s. Need more?", Milliseconds(62'500)},
      {"Please try again in 120ms.", Milliseconds(120)},
      {"Requests exceeded. Please retry after 7 seconds.", Milliseconds(7000)},
      {"Too many requests, wait 30 seconds before the next one", Milliseconds(30'000)},
      {"rate limited, retry after 20", Milliseconds(20'000)},
      {"Please wait for 1 minute and 30 seconds.", Milliseconds(90'000)},
      {"Please try again in a few minutes.", std::nullopt},
      {"Please try again later.", std::nullopt},
      {"Please try again in 1 day", Milliseconds(86'400'000)},
      {"Please try again in 2 fortnights", std::nullopt},
      {"Retry after 2026-11-27T00:00:00Z", std::nullopt},
      {"available in 3 regions", std::nullopt},
      {"retry after 20.", Milliseconds(20'000)},
      {"used 5 of 5 requests in 60 seconds", std::nullopt},
      {"", std::nullopt}};
  for (const auto& [text, wait] : rows) EXPECT_EQ(wait_in_words(text), wait) << text;
}

}  // namespace
}  // namespace ba::http
