# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The packages of Debian that packages.txt lists. Needs: OPS, console.sh.

readonly kNoCluster=/etc/postgresql-common/createcluster.d/ba-agent.conf

# "name version-prefix" per line, without comments.
packages_wanted() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$OPS/packages.txt"; }

packages_names() { packages_wanted | awk '{print $1}'; }

# From "name version" lines on stdin, those that don't have the wanted prefix, with what was wanted.
packages_mismatched() {
  awk 'NR == FNR { want[$1] = $2; next }
       { version = $2; sub(/^[0-9]+:/, "", version)
         if (index(version, want[$1]) != 1) print $1, $2, "(wanted: " want[$1] "…)" }' \
    <(packages_wanted) -
}

packages_installed() {
  local names
  mapfile -t names < <(packages_names)
  dpkg-query -W -f='${db:Status-Status} ${Package} ${Version}\n' "${names[@]}" 2>/dev/null |
    awk '$1 == "installed" {print $2, $3}' || true
}

packages_candidates() {
  LC_ALL=C apt-cache policy "$@" |
    awk '/^[^ ]/ {sub(/:$/, ""); name = $0} /^  Candidate:/ {print name, $2}'
}

install_packages() {
  local installed missing
  installed=$(packages_installed)
  mapfile -t missing < <(comm -23 <(packages_names | sort) <(awk '{print $1}' <<<"$installed" | sort))
  if [[ ${#missing[@]} -eq 0 ]]; then
    local other
    other=$(packages_mismatched <<<"$installed")
    [[ -z $other ]] || warn "installed in a version that is not the tested one: $other"
    say "packages  all $(packages_names | wc -l) are installed"
    return
  fi
  if [[ $(id -u) -eq 0 ]]; then
    apt_install "${missing[@]}"
  else
    install_as_root "${missing[@]}"
  fi
}

install_as_root() {
  say "packages  missing: $*"
  if may_be_root; then
    sudo "$OPS/setup" --packages || die 'the packages could not be installed, the reason is above'
    return
  fi
  warn 'packages are missing and this account may not install them. As root, run:'
  printf '  %q --packages\n' "$OPS/setup" >&2
  exit 1
}

# A password is asked for on a terminal only.
may_be_root() {
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo true; }
}

apt_install() {
  local log began
  log=$(mktemp -t ba-agent-apt.XXXXXX)
  began=$(now_ms)
  say "packages  missing: $*"
  say "packages  apt-get update (log: $log)"
  apt_get "$log" update
  require_candidates "$@"
  say "packages  apt-get install of $# packages"
  trap forget_no_cluster EXIT
  if [[ " $* " == *' postgresql-15 '* ]]; then ask_for_no_cluster; fi
  apt_get "$log" install --no-install-recommends "$@"
  forget_no_cluster
  rm -f "$log"
  say "packages  installed in $(since "$began") s"
}

# Another apt may be at work: its locks are waited for. One that was killed has left packages that must
# be finished first.
apt_get() {
  local log=$1 tries finished=no
  shift
  for ((tries = 0; tries < 150; tries++)); do
    if DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" \
      </dev/null >"$log" 2>&1; then
      return
    fi
    if [[ $finished == no ]] && grep -q 'dpkg was interrupted' "$log"; then
      say 'packages  finishing an installation that was interrupted'
      finished=yes
      DEBIAN_FRONTEND=noninteractive dpkg --configure -a </dev/null >>"$log" 2>&1 && continue
    fi
    grep -q 'Could not get lock' "$log" || break
    [[ $tries -gt 0 ]] || say 'packages  waiting for another apt to finish'
    sleep 2
  done
  tail -n 15 "$log" >&2
  die "apt-get $1 failed, the whole log is $log"
}

require_candidates() {
  local candidates other
  candidates=$(packages_candidates "$@")
  other=$(packages_mismatched <<<"$candidates"
    comm -23 <(printf '%s\n' "$@" | sort) <(awk '$2 != "(none)" {print $1}' <<<"$candidates" | sort))
  [[ -z $other ]] || die "the package sources don't offer the tested versions, nothing was installed:
$other"
}

# Debian's package creates and starts a cluster on port 5432 when it is first installed. Nothing here
# uses it, and it may be in the way. A drop-in that is there for the time of the installation only is
# the least that prevents this: createcluster.conf itself and the start of services stay as they are.
ask_for_no_cluster() {
  mkdir -p "${kNoCluster%/*}"
  printf 'create_main_cluster = false\n' >"$kNoCluster"
}

forget_no_cluster() {
  rm -f "$kNoCluster"
  rmdir "${kNoCluster%/*}" 2>/dev/null || true
}
