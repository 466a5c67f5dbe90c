#pragma once
// SPDX-License-Identifier: Apache-2.0
// How an asynchronous port answers: it calls the completion exactly once, on the executor that
// owns the caller (the control thread), never from inside the call that started the work.
// A completion that is destroyed without a call is a bug of the adapter.

#include <functional>

#include "pipeline/base/error.hpp"

namespace ba {

template <typename T>
using Completion = std::function<void(Result<T>)>;

}  // namespace ba
