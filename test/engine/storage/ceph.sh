#!/bin/sh
# Runs a command beside Ceph's gateway for S3 on this machine: a monitor, a manager, and one disk, which is a file, in a
# directory of their own. Needs Debian's radosgw, ceph-mon, ceph-osd and ceph-mgr; takes about a minute. The command finds
# the bucket in CEPH_URL. It may kill the disk's process, whose id is in the file CEPH_DISK_PID, and start another by
# `ceph-osd -i 0 -f`, which finds its settings in CEPH_CONF.
#
#   sh test/engine/storage/ceph.sh sh -c 'gazette copy --to "$CEPH_URL" --data data'
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
D=$(mktemp -d)
pids=
# The gateway waits for ever for a monitor that is gone, and nothing of it is to be kept.
stop() { for pid in $pids; do kill -9 "$pid" 2>/dev/null || true; done; rm -rf "$D"; }
trap stop EXIT INT TERM
run() { name=$1; shift; "$@" -f >"$D/$name.out" 2>&1 & pids="$pids $!"; }
mkdir "$D/mon" "$D/osd" "$D/mgr" "$D/rgw" "$D/run"
port=${CEPH_PORT:-37480}
mon="[v2:127.0.0.1:$((port + 1)),v1:127.0.0.1:$((port + 2))]"
fsid=$(cat /proc/sys/kernel/random/uuid)
export CEPH_CONF="$D/ceph.conf"
cat >"$CEPH_CONF" <<CONF
[global]
fsid = $fsid
mon host = $mon
mon initial members = a
keyring = $D/keyring
run dir = $D/run
admin socket = $D/run/\$name.asok
log file = $D/\$name.log
pid file = $D/\$name.pid
public addr = 127.0.0.1
cluster addr = 127.0.0.1
mon data = $D/mon
osd data = $D/osd
mgr data = $D/mgr
mon allow pool size one = true
mon data avail crit = 1
osd pool default size = 1
osd pool default pg num = 4
osd crush chooseleaf type = 0
osd objectstore = bluestore
bluestore block size = 8589934592
osd memory target = 939524096
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw data = $D/rgw
CONF
key() { ceph-authtool "$D/keyring" --gen-key -n "$@" >/dev/null; }
ceph-authtool --create-keyring "$D/keyring" >/dev/null
key mon. --cap mon 'allow *'
key client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
key client.rgw --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
key mgr.x --cap mon 'allow profile mgr' --cap osd 'allow *'
key osd.0 --cap mon 'allow profile osd' --cap osd 'allow *' --cap mgr 'allow profile osd'
monmaptool --create --addv a "$mon" --fsid "$fsid" "$D/monmap" >/dev/null
ceph-mon --mkfs -i a --monmap "$D/monmap" --keyring "$D/keyring"
run mon ceph-mon -i a
timeout 60 ceph osd create >/dev/null
run mgr ceph-mgr -i x
ceph-osd -i 0 --mkfs >/dev/null 2>&1
timeout 60 ceph osd crush add osd.0 1.0 host=here root=default 2>/dev/null
run osd ceph-osd -i 0
export CEPH_DISK_PID="$D/disk.pid"
echo $! >"$CEPH_DISK_PID"
export AWS_ACCESS_KEY_ID=lab AWS_SECRET_ACCESS_KEY="$fsid" AWS_REGION=us-east-1 AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED=true
timeout 180 radosgw-admin user create --uid=lab --display-name=lab --access-key=lab --secret-key="$fsid" >/dev/null 2>&1
run rgw radosgw -n client.rgw
tries=60
until curl -s -o /dev/null "http://127.0.0.1:$port/"; do
  tries=$((tries - 1))
  [ $tries -gt 0 ] || { echo 'the gateway does not answer' >&2; exit 1; }
  sleep 2
done
(cd "$root" && node --input-type=module -e "
  import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
  const client = new S3Client({ endpoint: 'http://127.0.0.1:$port', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: 'lab' }))
")
export CEPH_URL="s3://lab/gazette?endpoint=http://127.0.0.1:$port&pathStyle=true"
"$@"
