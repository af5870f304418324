#!/bin/sh
# Install what the tests need from Debian's packages: bubblewrap (the jail) and chromium (the browser).
# Without root or apt nothing is installed: those tests are then skipped with the reason, or fail with CI=true.
missing=""
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null || echo "could not install$missing"
else
    echo "not installed here:$missing (the tests that need them are skipped)"
fi
exit 0
