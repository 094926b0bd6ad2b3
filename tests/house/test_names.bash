# test_names.bash CTEST TREE: names of tests are the same in every run, so they have no addresses and no bytes of objects.
names=$("$1" --test-dir "$2" -N) || exit 1
! grep -E 'GetParam|byte object|0x[0-9a-f]+' <<<"$names"
