#!/bin/sh
# Install what the tests need from Debian's packages: bubblewrap (the jail), chromium (the browser) and postgresql (a gradebook's server).
# Without root or apt nothing is installed: those tests are then skipped with the reason, or fail with CI=true.
missing=""
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || missing="$missing postgresql"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    # the tests start a server of their own: without this the package makes a database of the machine's and starts it
    mkdir -p /etc/postgresql-common/createcluster.d && echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/zerohero.conf
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null || echo "could not install$missing"
    rm -f /etc/postgresql-common/createcluster.d/zerohero.conf
else
    echo "not installed here:$missing (the tests that need them are skipped)"
fi
exit 0
