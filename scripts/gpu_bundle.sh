#!/bin/bash
# Packs what a GPU machine without package registries needs to build and check Basin: sources and the few libraries that
# are not part of CUDA, CMake, Ninja and gcc. Usage: scripts/gpu_bundle.sh [FOLDER]; makes FOLDER (default: build-gpu)
# and FOLDER.tar.gz, which holds the sources too. Unpack it there and run scripts/gpu_check.sh.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build-gpu}
limit_mib=60

scripts/setup test
rm -rf "$folder"
mkdir -p "$folder"/{bin,include,lib/pkgconfig,licences}

# The file that a shared library's name leads to, under both names.
library() {
  local path
  path=$(ldconfig -p | awk -v name="$1" '$1 == name && /x86-64/ { print $NF; exit }')
  [ -n "$path" ] || { echo "scripts/gpu_bundle.sh: no $1 on this machine" >&2; exit 1; }
  cp -L "$path" "$folder/lib/$1"
  [ -z "${2:-}" ] || ln -s "$1" "$folder/lib/$2"
}
library liblua5.4.so.0 liblua5.4.so
library libz.so.1 libz.so
library libcmocka.so.0 libcmocka.so
library libpkgconf.so.3
cp -L /usr/bin/pkg-config "$folder/bin/pkg-config"
cp -r /usr/include/lua5.4 "$folder/include/"
cp /usr/include/{zlib.h,zconf.h,xxhash.h,cmocka.h} "$folder/include/"
[ ! -f /usr/include/xxh3.h ] || cp /usr/include/xxh3.h "$folder/include/"
cp /usr/include/x86_64-linux-gnu/lua5.4-deb-multiarch.h "$folder/include/lua5.4/"
for package in liblua5.4-0 zlib1g libcmocka0 libpkgconf3 libxxhash-dev; do
  cp -L "/usr/share/doc/$package/copyright" "$folder/licences/$package"
done

describe() { # name, version, flags, libraries
  printf '%s\n' 'prefix=${pcfiledir}/../..' "Name: $1" "Description: $1" "Version: $2" "Cflags: $3" "Libs: -L\${prefix}/lib $4" \
    > "$folder/lib/pkgconfig/$1.pc"
}
describe lua5.4 "$(pkg-config --modversion lua5.4)" '-I${prefix}/include/lua5.4' '-llua5.4 -lm -ldl'
describe cmocka "$(pkg-config --modversion cmocka)" '-I${prefix}/include' -lcmocka
describe zlib "$(pkg-config --modversion zlib)" '-I${prefix}/include' -lz

tar czf "$folder.tar.gz" --transform 's,^,basin/,' -T <(git ls-files --cached --others --exclude-standard) "$folder"
mib=$(( ($(stat -c %s "$folder.tar.gz") + 1048575) / 1048576 ))
echo "$folder.tar.gz: $mib MiB"
[ "$mib" -le "$limit_mib" ] || { echo "scripts/gpu_bundle.sh: more than $limit_mib MiB" >&2; exit 1; }
