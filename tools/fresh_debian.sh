#!/bin/bash
# fresh_debian.sh RELEASE [FOLDER]: runs the README's two commands, as root, in an empty Debian of the given release.
# `./dev fresh` calls it. Needs debootstrap and the right to mount.
#
# FOLDER is the root of that Debian; it is made once and kept. The source is that of the last commit, copied anew each
# time; installed packages and the compiler cache remain. Everything is mounted in a mount namespace of this run, and
# runs in a process namespace of it. So nothing remains mounted and no process remains, even after `kill -9`.
set -euo pipefail
project=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

fail() { echo "dev fresh: $*" >&2 && exit 1; }

# The address of the Debian packages that apt uses here. Nothing if apt has none; debootstrap then uses its own.
mirror() {
  # shellcheck disable=SC2016 # apt expands it
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' |
    sort -u | sed 1q
}

# What apt needs to know here to reach it.
apt_settings() {
  apt-config dump | grep -E '^Acquire::(https?::(.*::)?Proxy|Check-Valid-Until) ' || true
}

# Makes the root under another name first: a folder with the right name is complete.
make_root() {
  local proxy
  rm -rf "$root.partial" && mkdir -p "$root.partial"
  proxy=$(apt-config dump --format '%v' Acquire::http::Proxy)
  [[ -z $proxy || $proxy == DIRECT ]] || export http_proxy=$proxy
  # The certificates are for mirrors with https.
  # shellcheck disable=SC2046 # no mirror is no argument
  debootstrap --variant=minbase --include=ca-certificates "$release" "$root.partial" $(mirror) ||
    fail "debootstrap failed, see above; if the mirror of this machine's apt does not have $release, choose another one"
  mv "$root.partial" "$root"
}

check_root() {
  [[ -f $root/etc/os-release ]] ||
    fail "'$root' exists and is not the root of a Debian; name another folder, or remove it"
  grep -qx "VERSION_CODENAME=$release" "$root/etc/os-release" ||
    fail "'$root' is not the root of a Debian $release; name another folder, or remove it"
}

copy_source() {
  git() { command git -c safe.directory='*' -C "$project" "$@"; }
  git rev-parse --quiet --verify HEAD >/dev/null ||
    fail "'$project' is not a git repository; what to build is the last commit"
  [[ -z $(git status --porcelain) ]] || echo "dev fresh: changes that are not committed are not part of this run"
  rm -rf "$root/root/consort" && mkdir -p "$root/root/consort"
  git archive HEAD | tar -x -C "$root/root/consort"
}

mount_systems() {
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
}

run() {
  [[ -e $root ]] || make_root
  check_root
  apt_settings >"$root/etc/apt/apt.conf.d/00machine"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  copy_source
  mount_systems
  local command
  for command in demo test; do
    echo "== Debian $release: ./dev $command"
    chroot "$root" env -i HOME=/root TERM="${TERM:-dumb}" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      /root/consort/dev "$command" 9>&- ||
      fail "'./dev $command' failed on Debian $release; its output is above, its files are in $root/root/consort"
  done
  echo "== Debian $release: both commands succeeded"
}

release=${1-}
[[ $release =~ ^(bookworm|trixie)$ ]] || fail "there is no release '$release'; choose bookworm or trixie"
root=$(readlink -m "${2:-$project/build/fresh/$release}")
((EUID == 0)) || fail "only root can make the root of a Debian and run in it: sudo ./dev fresh $*"
if [[ ${CONSORT_FRESH_INSIDE-} ]]; then
  run
  exit
fi
namespaces=(unshare --mount --propagation private --pid --fork --kill-child)
"${namespaces[@]}" true || fail "this machine does not let root mount; in a container, it needs the capability SYS_ADMIN"
mkdir -p "$(dirname "$root")"
exec 9>"$root.lock"
flock --nonblock 9 || fail "another run uses '$root'; wait for it, or name another folder"
# If this shell is killed, unshare is killed, and if that is killed, all processes inside are.
CONSORT_FRESH_INSIDE=1 setpriv --pdeathsig KILL "${namespaces[@]}" "${BASH_SOURCE[0]}" "$release" "$root" &
inside=$!
trap 'kill -KILL "$inside" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
wait "$inside"
