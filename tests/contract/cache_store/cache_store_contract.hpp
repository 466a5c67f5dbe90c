#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every implementation of CacheStore does, asked through a rig that each has.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/core/cache/cache_store.hpp"

namespace ba {

class CacheStoreRig {
 public:
  virtual ~CacheStoreRig() = default;
  virtual CacheStore& store() = 0;
  /// Lets time pass until `reached` holds; false when that takes longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;
  /// Lets that much time pass for the store.
  virtual void pass(Milliseconds span) = 0;
  /// As the store has counted them; none: it has no such key.
  virtual std::optional<std::int64_t> hits(const std::string& key) = 0;
};

struct CacheStoreKind {
  std::string name;
  std::function<std::unique_ptr<CacheStoreRig>()> make;
};

inline void PrintTo(const CacheStoreKind& kind, std::ostream* out) { *out << kind.name; }

class CacheStoreContract : public testing::TestWithParam<CacheStoreKind> {
 protected:
  template <typename T>
  Result<T> await(const std::function<void(Completion<T>)>& start) {
    std::optional<Result<T>> answer;
    start([&](Result<T> result) { answer = std::move(result); });
    EXPECT_FALSE(answer) << "answered from inside the call";
    EXPECT_TRUE(rig_->run_until([&] { return answer.has_value(); }));
    return *answer;
  }

  StoreAnswer ask(const std::string& key, CacheOwner owner);
  /// By a call whose policy allows no older ones.
  StoreAnswer ask_for(const std::string& key, CacheOwner owner, Milliseconds age_max);
  bool keep(const std::string& key, CacheOwner owner, const std::string& data,
            Milliseconds time_to_live = Milliseconds(60'000));
  bool give_up(const std::string& key, CacheOwner owner);
  bool renew(const std::string& key, CacheOwner owner);
  CacheCleaning clean(CacheBounds bounds);

  bool taken(const std::string& key, CacheOwner owner) {
    return std::holds_alternative<FlightTaken>(ask(key, owner));
  }
  bool elsewhere(const std::string& key, CacheOwner owner) {
    return std::holds_alternative<FlightElsewhere>(ask(key, owner));
  }
  std::optional<std::string> found(const std::string& key, CacheOwner owner = 1) {
    const StoreAnswer answer = ask(key, owner);
    const auto* result = std::get_if<StoredResult>(&answer);
    return result ? std::optional(result->data) : std::nullopt;
  }

  /// Of the real store in real time: a busy machine takes a second for what is quick.
  const Milliseconds kLease{5000};
  std::unique_ptr<CacheStoreRig> rig_ = GetParam().make();
};

}  // namespace ba
