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
check 2 '' "chasles: arm.yaml: there is no such file" info arm.yaml
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

# convert: to standard output, to a file, in a description; bad input is 2, a failed write 1.
examples=$(dirname "${BASH_SOURCE[0]}")/../../examples
check 0 'chasles: 1?name: puma560?*' '' convert "$examples/puma560.yaml"
check 0 '' '' convert "$examples/rcm.yaml" -o "$work/rcm.yaml" --describe body
check 0 '*in: body*in: parent*' '' convert "$work/rcm.yaml"
check 0 '*frames:*' '' convert "$work/rcm.yaml" --describe frames
printf '%s' "<robot name='r'><link name='a'/><odd/></robot>" >"$work/r.urdf"
check 0 '*type: fixed*' "warning: $work/r.urdf:1: robot: the element <odd> is not known*" convert "$work/r.urdf"
check 0 '*name: root_joint*type: free*' 'warning: *' convert "$work/r.urdf" --floating-base
check 2 '' "chasles: $examples/rcm.yaml: a floating base *URDF only*" \
  convert "$examples/rcm.yaml" --floating-base
check 2 '' "chasles: convert: --describe 'wolrd'*; did you mean 'world'[?]" \
  convert "$examples/rcm.yaml" --describe wolrd
check 2 '' "chasles: none.yaml: there is no such file" convert none.yaml
check 1 '' "chasles: convert: '$work/none/a.yaml' cannot be written" \
  convert "$examples/rcm.yaml" -o "$work/none/a.yaml"
check 2 '' "chasles convert: unknown option '--descrieb'; did you mean '--describe'[?]" \
  convert "$examples/rcm.yaml" --descrieb world

exit $((failures > 0))
