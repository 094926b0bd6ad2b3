# The contract of the program's command line: program.bash PROGRAM VERSION
program=$1 version=$2 failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check CODE STDOUT STDERR ARGUMENT...: STDOUT and STDERR are patterns for the whole text.
check() {
  local code=$1 out=$2 err=$3 got
  shift 3
  "$program" "$@" >"$work/out" 2>"$work/err"
  got=$?
  [[ $got == "$code" && $(<"$work/out") == $out && $(<"$work/err") == $err ]] && return
  echo "chasles $*: exit $got, expected $code '$out' '$err'"
  cat "$work/out" "$work/err"
  ((++failures))
}

check 0 "chasles $version" '' --version
check 0 '*Usage: chasles *info*' '' --help
check 0 '*Usage: chasles info *MODEL*' '' info --help
check 2 '' '*Usage: chasles *info*'
check 1 '' "*info 'arm.yaml': this version does not read models yet" info arm.yaml
check 2 '' "chasles info: *MODEL is required*" info

check 2 '' "chasles: unknown command 'inof'; did you mean 'info'[?]" inof
check 2 '' "chasles: unknown command 'inof'; did you mean 'info'[?]" inof arm.yaml --json
check 2 '' "chasles: unknown command 'gyroscope'" gyroscope
check 2 '' "chasles: unknown command ''" ''
check 2 '' "chasles: unknown option '--versoin'; did you mean '--version'[?]" --versoin
check 2 '' "chasles: unknown option '-x'" -x
check 2 '' "chasles info: unknown option '--hepl'; did you mean '--help'[?]" info --hepl
check 2 '' "chasles info: unknown option '--hepl'; did you mean '--help'[?]" info arm.yaml --hepl=3
check 2 '' "chasles info: unexpected argument 'leg.yaml'" info arm.yaml leg.yaml

exit $((failures > 0))
