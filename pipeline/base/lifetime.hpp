#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a callback learns that the object it would call is gone. A member of that object, which owns
// it; the last member, so that it ends first. No lock: it ends, and callbacks look at it, on the
// owner's thread. Watches may be made, copied and destroyed on any thread while the owner lives.
//
//   store_.read(id, lifetime_.guarded([this](Result<Data> data) { answered(std::move(data)); }));

#include <memory>
#include <utility>

namespace ba {

class Lifetime {
 public:
  /// Knows whether it is over, and keeps nothing alive.
  class Watch {
   public:
    bool over() const { return token_.expired(); }

   private:
    friend class Lifetime;
    explicit Watch(std::weak_ptr<const char> token) : token_(std::move(token)) {}
    std::weak_ptr<const char> token_;
  };

  Lifetime() = default;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  Watch watch() const { return Watch(token_); }

  /// `call`, which does nothing once this is over. For a caller that must do something even then,
  /// or that may end while it is called, there is watch().
  template <typename Call>
  auto guarded(Call call) const {
    return [watch = watch(), call = std::move(call)](auto&&... arguments) mutable {
      if (!watch.over()) call(std::forward<decltype(arguments)>(arguments)...);
    };
  }

  /// Before the owner is gone.
  void end() { token_.reset(); }

 private:
  std::shared_ptr<const char> token_ = std::make_shared<const char>();
};

}  // namespace ba
