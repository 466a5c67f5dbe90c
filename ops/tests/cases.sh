# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the tests of the scripts share: cases, a folder for their stacks, what is expected.
# Needs: OPS, console.sh.

unset BA_STACK_DIR BA_STACK_FOR
WORK=$(mktemp -d /var/tmp/ba-agent-test.XXXXXX)
readonly WORK
chmod 755 "$WORK"
PASSED=0 FAILED=0

stack() { "$OPS/stack" "$@"; }

clean_up() {
  local dir
  for dir in "$WORK"/*/.gitignore; do
    [[ -e $dir ]] && stack reset --dir "${dir%/*}" >/dev/null 2>&1
  done
  rm -rf "$WORK"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# test_case NAME FUNCTION: a function that fails shows what it printed.
test_case() {
  local began output code
  began=$(now_ms)
  output=$WORK/output
  # Not in a condition: there, set -e would not count.
  (set -e && "$2") >"$output" 2>&1
  code=$?
  if [[ $code -eq 0 ]]; then
    PASSED=$((PASSED + 1))
    say "ok      $1 ($(since "$began") s)"
  else
    FAILED=$((FAILED + 1))
    say "FAILED  $1 ($(since "$began") s)"
    sed 's/^/        /' "$output"
  fi
}

# Processes whose command line, environment or folder has to do with a stack, by its folder.
processes_of() {
  local place='' pid command_line
  read -r place 2>/dev/null <"$1/postgres/place"
  for pid in /proc/[0-9]*; do
    pid=${pid#/proc/}
    [[ $pid != "$$" && $pid != "$BASHPID" ]] || continue
    command_line=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")
    if grep -qzF "@$1" 2>/dev/null <"/proc/$pid/environ" ||
      [[ $command_line == *"$1/"* && $command_line != *_test.sh* ]] ||
      [[ -n $place && $(readlink "/proc/$pid/cwd" 2>/dev/null) == "$place"* ]]; then
      printf '%s\n' "$command_line"
    fi
  done
}

expect_no_process() {
  local left
  left=$(processes_of "$1")
  [[ -z $left ]] || { printf 'still there:\n%s\n' "$left" && return 1; }
}

expect_equal() { [[ $1 == "$2" ]] || { printf 'expected: %s\nseen:     %s\n' "$1" "$2" && return 1; }; }

test_summary() {
  say "$PASSED passed, $FAILED failed"
  [[ $FAILED -eq 0 ]]
}
