# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The stack that the levels of ops/test share: started when the first of them needs it, in a folder
# of its own, and deleted whatever happens. Its database doesn't wait for the disk: these levels kill
# processes and never the machine, and what a server has written outlives it. ops/chaos waits.
# Needs: OPS, ROOT, LOGS, console.sh, step.sh.

TEST_STACK='' TEST_STACK_STARTED=no STACK_OPTIONS=()
# Beside it, for cases that restart servers: so they wait for nobody, and nobody for them.
second_stack() { printf '%s.second' "$TEST_STACK"; }

test_stack_start() {
  [[ $TEST_STACK_STARTED == no ]] || return 0
  mkdir -p "$ROOT/build"
  [[ -n $TEST_STACK ]] || TEST_STACK=$(mktemp -d "$ROOT/build/test-stack.XXXXXX") || return
  BA_STACK_FSYNC=off step servers "$OPS/stack" up "${STACK_OPTIONS[@]}" --dir "$TEST_STACK" && TEST_STACK_STARTED=yes
}

second_stack_start() {
  BA_STACK_FSYNC=off "$OPS/stack" up "${STACK_OPTIONS[@]}" --dir "$(second_stack)"
}

with_test_stack() { with_stack "$TEST_STACK" "$@"; }

# with_stack DIR COMMAND...: with the stack's addresses in the environment.
with_stack() (
  eval "$("$OPS/stack" env --dir "$1")"
  shift
  BA_TEST_PYTHON=$("$OPS/setup" --where tests)/bin/python
  export BA_TEST_PYTHON PYTHONDONTWRITEBYTECODE=1
  "$@"
)

test_stack_remove() {
  [[ -n $TEST_STACK ]] || return 0
  local dir second
  second=$(second_stack)
  for dir in "$TEST_STACK" "$second"; do
    [[ -d $dir ]] || continue
    "$OPS/stack" logs --dir "$dir" -n 10000 >"$LOGS/stack-parts${dir#"$TEST_STACK"}.log" 2>&1
    "$OPS/stack" reset --dir "$dir" >/dev/null
  done
  TEST_STACK=''
}
