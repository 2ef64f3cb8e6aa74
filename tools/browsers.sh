#!/usr/bin/env bash
# The browser that the console's tests drive: Debian's chromium, where it can be installed; elsewhere say what is needed.
set -eu
if command -v chromium > /dev/null; then
  echo "chromium is there: $(chromium --version 2> /dev/null | head -n 1)"
elif [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium > /dev/null
  echo "installed $(chromium --version 2> /dev/null | head -n 1)"
else
  echo "chromium is missing and cannot be installed here: install it as root (apt-get install chromium)" >&2
  exit 1
fi
