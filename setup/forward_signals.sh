# Sourced by ./reproduce and ./check: a signal to the script reaches what the script runs, and nothing stays behind.
#
# Bash runs a trap only after its foreground command has ended: a TERM would wait for the experiment. And of what a script
# leaves behind when it is killed with -9, a process would keep the lock of its directory.
# shellcheck shell=bash

# One that was closed would become the next file that is opened.
{ : <&0; } 2>/dev/null || exec 0</dev/null
{ : >&1; } 2>/dev/null || exec 1>/dev/null
{ : >&2; } 2>/dev/null || exec 2>/dev/null

running=
received=

# pass_on SIGNAL: to the process group of what runs now.
pass_on() {
  received=$1
  [[ -z $running ]] || kill -s "$1" -- "-$running" 2>/dev/null || true
}

for name in INT TERM HUP; do
  # shellcheck disable=SC2064
  trap "pass_on $name" "$name"
done

# forwarding COMMAND...: runs it as a process group of its own, which gets the signals that come here. Returns its exit
# code; where a signal has come, the script ends after it, with what was said by on_interruption.
forwarding() {
  local status before
  [[ -z $received ]] || end_interrupted
  set -m
  "$@" </dev/null &
  running=$!
  set +m
  while :; do
    before=$received
    received=
    status=0
    wait "$running" || status=$?
    # Interrupted waits are taken up again: the command still finishes what it does.
    if [[ -z $received ]]; then
      received=$before
      break
    fi
  done
  running=
  [[ -z $received ]] || end_interrupted
  return "$status"
}

end_interrupted() {
  on_interruption
  exit 130
}

# dying_with_script COMMAND...: for `forwarding`: an external command that gets TERM when this script is killed.
dying_with_script() {
  if command -v setpriv >/dev/null; then
    exec setpriv --pdeathsig TERM -- "$@"
  fi
  exec "$@"
}
