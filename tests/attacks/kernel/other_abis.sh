#!/usr/bin/env bash
# K3, K4 by another door: i386 calls (int 0x80) and x32 numbers, which have other numbers for the same things.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
program other_abis
attack ./other_abis in-jar
assert_file in-jar  # it did run
assert_equal "$(find . -name 'in-jar-*')" "" "calls of another ABI were carried out"
./other_abis on-host
# The control, on kernels that have one of these ABIs.
if [ "$(uname -m)" = x86_64 ] && [ -z "$(find . -name 'on-host-*')" ]; then echo "this kernel has neither ABI: nothing to refuse"; fi
