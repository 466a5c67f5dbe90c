# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The stack that the levels of ops/test share: started when the first of them needs it, in a folder
# of its own, and deleted whatever happens. Its database doesn't wait for the disk: these levels kill
# processes and never the machine, and what a server has written outlives it. ops/chaos waits.
# Needs: OPS, ROOT, LOGS, console.sh, step.sh.

TEST_STACK='' TEST_STACK_STARTED=no STACK_OPTIONS=()

test_stack_start() {
  [[ $TEST_STACK_STARTED == no ]] || return 0
  mkdir -p "$ROOT/build"
  [[ -n $TEST_STACK ]] || TEST_STACK=$(mktemp -d "$ROOT/build/test-stack.XXXXXX") || return
  BA_STACK_FSYNC=off step servers "$OPS/stack" up "${STACK_OPTIONS[@]}" --dir "$TEST_STACK" && TEST_STACK_STARTED=yes
}

# with_test_stack COMMAND...: with the stack's addresses in the environment.
with_test_stack() (
  eval "$("$OPS/stack" env --dir "$TEST_STACK")"
  BA_TEST_PYTHON=$("$OPS/setup" --where tests)/bin/python
  export BA_TEST_PYTHON PYTHONDONTWRITEBYTECODE=1
  "$@"
)

test_stack_remove() {
  [[ -n $TEST_STACK ]] || return 0
  local dir=$TEST_STACK
  TEST_STACK=''
  "$OPS/stack" logs --dir "$dir" -n 10000 >"$LOGS/stack-parts.log" 2>&1
  "$OPS/stack" reset --dir "$dir" >/dev/null
}
