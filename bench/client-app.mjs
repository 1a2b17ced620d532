// Express application that decides in several ways:
// node bench/client-app.mjs <port> <Redis> <token> <Sluice> <Sluice on Redis> <low limit>/<seconds>
//
// GET /requests/<way>: one decision, as a middleware makes it.
// POST /decisions/<way>/<ms>: decides in sequence for that long, and answers the number of decisions.
// GET /bursts/<way>: one decision by a low limit, for the client in the header `x-client`.
// POST /failing?url=: sets the URL of a Sluice that fails.
// GET /failing: the duration of each decision since then in ms, and how many the server made.
import express from 'express';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { Sluice } from 'sluice/client';

const [, , port, redis, token, url, urlOnRedis, burst] = process.argv;
const CLIENTS = 20_000;
const LIMIT = 1_000_000_000;

// This timeout is never reached on a busy machine, so only the work is measured.
const settings = { token, timeout: 10_000, onUnreachable: 'throw' };
const sluice = new Sluice({ url, ...settings });
const onRedis = new Sluice({ url: urlOnRedis, ...settings });
const failing = { client: sluice, times: [], decided: 0 };
const storeClient = new Redis(redis);
const peer = new RateLimiterRedis({ storeClient, points: LIMIT, duration: 60 });
const [points, duration] = burst.split('/').map(Number);
const lowPeer = new RateLimiterRedis({ storeClient, points, duration, keyPrefix: 'bursts' });

function randomAddress() {
  const i = Math.floor(Math.random() * CLIENTS);
  return `10.${i >> 14}.${(i >> 7) & 127}.${i & 127}`;
}

async function singleFetch() {
  const response = await fetch(`${url}/v1/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ class: 'read', ip: randomAddress() }),
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.json();
}

const WAYS = {
  client: () => sluice.check({ class: 'read', ip: randomAddress() }),
  'client-on-redis': () => onRedis.check({ class: 'read', ip: randomAddress() }),
  async failing() {
    const start = performance.now();
    const answer = await failing.client.check({ class: 'read', ip: randomAddress() });
    failing.times.push(performance.now() - start);
    if (answer.status !== 'unreachable') failing.decided += 1;
    return answer;
  },
  fetch: singleFetch,
  nothing: async () => ({ allowed: true }),
  redis: () => peer.consume(randomAddress()).then(() => ({ allowed: true })),
};

// The servers apply the low limit to users in this class.
const BURSTS = {
  client: (user_id) => sluice.check({ class: 'write', user_id }),
  'client-on-redis': (user_id) => onRedis.check({ class: 'write', user_id }),
  redis: (client) =>
    lowPeer.consume(client).then(
      () => ({ allowed: true }),
      (refusal) => {
        if (refusal instanceof Error) throw refusal;
        return { allowed: false };
      },
    ),
};

const app = express();
app.get('/', (_request, response) => response.send('ok'));
app.post('/failing', (request, response) => {
  failing.client = new Sluice({ url: request.query.url, token });
  failing.times = [];
  failing.decided = 0;
  response.json({});
});
app.get('/failing', (_request, response) => {
  const { times, decided } = failing;
  response.json({ times: times.sort((a, b) => a - b), decided });
});
app.get('/bursts/:way', async (request, response) => {
  const { allowed } = await BURSTS[request.params.way](request.get('x-client'));
  response.status(allowed ? 200 : 429).json({ allowed });
});
app.get('/requests/:way', async (request, response) => {
  const { allowed } = await WAYS[request.params.way]();
  response.status(allowed ? 200 : 429).json({ allowed });
});
app.post('/decisions/:way/:milliseconds', async (request, response) => {
  const decide = WAYS[request.params.way];
  const end = performance.now() + Number(request.params.milliseconds);
  let decided = 0;
  while (performance.now() < end) {
    const { allowed } = await decide();
    if (!allowed) throw new Error('A decision was refused.');
    decided += 1;
  }
  response.json({ decided });
});
app.listen(Number(port), '127.0.0.1');
