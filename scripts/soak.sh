#!/bin/sh
# An hour of real turns against `bethink serve`, through its socket: prints resident memory, file handles and disk of the
# serving process each minute.
#
#   scripts/soak.sh [MINUTES] [TURNS_A_MINUTE] [BINARY]
set -eu
minutes=${1:-60}
pace=${2:-60}
bethink=${3:-target/release/bethink}
home=$(mktemp -d)
trap 'kill -TERM "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; rm -rf "$home"' EXIT
"$bethink" --data-dir "$home/data" serve >"$home/serving" 2>"$home/log" &
pid=$!
# A chat that came first would own the memory itself.
until grep -q Serving "$home/serving"; do
    kill -0 "$pid"
    sleep 0.1
done
say() {
    i=0
    while [ "$i" -lt "$pace" ]; do
        case $((i % 8)) in
        0) echo "I take my blood pressure tablet every morning after breakfast." ;;
        1) echo "When do I take my tablet?" ;;
        2) echo "The spare key hangs in the shed." ;;
        3) echo "Where is the spare key?" ;;
        4) echo "ok thanks" ;;
        5) echo "My sister plays the cello on Fridays." ;;
        6) echo "Who plays the cello?" ;;
        7) echo "What is the capital of Portugal?" ;;
        esac
        i=$((i + 1))
        sleep "$(awk "BEGIN { print 50 / $pace }")"
    done
}
printf '%7s %8s %13s %8s %9s\n' minute turns "resident KiB" handles "disk KiB"
minute=0
turns=0
while [ "$minute" -lt "$minutes" ]; do
    say | "$bethink" --data-dir "$home/data" --user "user$((minute % 5))" --json chat >"$home/said"
    turns=$((turns + $(grep -c '"event":"answered"' "$home/said")))
    minute=$((minute + 1))
    resident=$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status")
    handles=$(ls "/proc/$pid/fd" | wc -l)
    disk=$(du -sk "$home/data" | cut -f1)
    printf '%7d %8d %13d %8d %9d\n' "$minute" "$turns" "$resident" "$handles" "$disk"
done
"$bethink" --data-dir "$home/data" status
echo "warnings and errors in the log: $(grep -cE 'WARN|ERROR' "$home/log" || true)"
