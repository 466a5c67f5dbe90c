# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a stack made by `up --secure` has more: an authority, certificates and passwords of its own, in
# $STACK/secure, which only its owner reads. Whether a stack is secure is settled by its first `up`.
# Needs: OPS, STACK, console.sh, cache.sh, part.sh.

# Roles of the ledger by the names that config/SECURITY.md gives them.
declare -A kLedgerRoles=([owner]=ba_owner [worker]=ba_worker [operator]=ba_operator
  [console]=ba_console [reader]=ba_ledger_reader)
readonly kLedgerRoles

secure_home() { printf '%s/secure' "$STACK"; }
is_secure() { [[ -e $STACK/secure/ca.pem ]]; }

# Where another stack stands that was made without, it is not turned into a secure one, nor the other way round.
secure_check() {
  if is_secure; then
    SECURE=yes
  elif [[ $SECURE == yes && -e $STACK/parts ]]; then
    die "$STACK was made without --secure: ops/stack reset first, or use another --dir"
  fi
}

# The login roles that have a certificate, with the stack's administrator.
secure_roles() { printf '%s\n' "${kLedgerRoles[@]}" ba_reader | sort; }

# Certificates that are there are kept; the authority is the last thing that says a stack is secure.
secure_prepare() {
  [[ $SECURE == yes ]] || return 0
  local -a roles
  mapfile -t roles < <(secure_roles)
  /usr/bin/python3 -IS "$OPS/rig/certificates.py" "$(secure_home)" \
    postgres=IP:127.0.0.1 kafka=IP:127.0.0.1 gateway=DNS:model.stack.test,DNS:collector.stack.test,DNS:localhost \
    kafka-admin "${roles[@]}"
}

# secure_password NAME: made when it is first asked for.
secure_password() {
  local file
  file=$(secure_home)/passwords/$1
  if [[ ! -s $file ]]; then
    (umask 077 && mkdir -p "${file%/*}" && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$file.new.$$")
    mv "$file.new.$$" "$file"
  fi
  cat "$file"
}

secure_python() {
  (cd "$OPS" && PYTHONDONTWRITEBYTECODE=1 "$(cached tests)/bin/python" -m "$@")
}

# The logins by which `ops/stack env` can be asked: users of Kafka, as config/SECURITY.md has them (once the
# broker was up), and roles of the ledger. The latter have none at Kafka but what bears their name there.
secure_logins() {
  {
    find "$(secure_home)/passwords" -name 'kafka-*' ! -name '*.new*' -printf '%f\n' | sed 's/^kafka-//'
    printf '%s\n' "${!kLedgerRoles[@]}"
  } | sort -u
}

secure_knows() { grep -qxF -e "$1" <<<"$(secure_logins)"; }
secure_is_user() { [[ -s $(secure_home)/passwords/kafka-$1 ]]; }

# On the ledger's database, after `ba-agent migrate`.
secure_grant() {
  is_secure || die "$STACK was made without --secure: its only role owns everything"
  secure_python rig.secure_kafka --grants | postgres_psql ba_agent -v ON_ERROR_STOP=1 -f -
}
