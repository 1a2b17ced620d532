/*
 * node slow-relay.mjs <port> <milliseconds>
 *
 * Relays TCP connections to a local port like a network: each chunk arrives after the delay, in both directions. Prints
 * its own port. Node's timers count whole milliseconds, so a thread sleeps until the next chunk is due.
 */
import { connect, createServer } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const now = () => performance.timeOrigin + performance.now();

if (isMainThread) relay(Number(process.argv[2]), Number(process.argv[3]));
else sleepUntilDue(workerData);

/** @param {number} target @param {number} delay */
function relay(target, delay) {
  const due = new BigInt64Array(new SharedArrayBuffer(8));
  /** @type {{ at: number, deliver: () => void }[]} */
  const underWay = [];
  const sleep = () => {
    const [next] = underWay;
    if (next === undefined) return;
    Atomics.store(due, 0, BigInt(Math.round(next.at * 1_000)));
    Atomics.notify(due, 0);
  };
  const sleeper = new Worker(new URL(import.meta.url), { workerData: due });
  sleeper.on('message', () => {
    while (underWay[0] !== undefined && underWay[0].at <= now()) underWay.shift()?.deliver();
    sleep();
  });
  /** @param {() => void} deliver */
  const later = (deliver) => {
    underWay.push({ at: now() + delay, deliver });
    if (underWay.length === 1) sleep();
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('data', (data) => later(() => to.write(data)));
      from.on('close', () => later(() => to.destroy()));
    }
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' ? address?.port : '');
  });
  process.stdin.on('end', () => process.exit()).resume();
}

/** @param {BigInt64Array} due when the next chunk arrives, in µs; 0 if there is none */
function sleepUntilDue(due) {
  for (;;) {
    Atomics.wait(due, 0, 0n);
    const at = Number(Atomics.exchange(due, 0, 0n)) / 1_000;
    const left = at - now();
    if (left > 0) Atomics.wait(due, 0, 0n, left);
    parentPort?.postMessage(null);
  }
}
