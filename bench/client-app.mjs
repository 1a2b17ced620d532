// An Express application that decides in one of several ways: node bench/client-app.mjs <port> <Redis> <token> <Sluice> <Sluice on Redis>
// GET /requests/<way>: one decision, as a middleware makes it. POST /decisions/<way>/<ms>: decides one after the other
// for so long, and answers how many. POST /failing?url=: where a Sluice is that fails; GET /failing: how long each decision
// took since then, ms.
import express from 'express';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { Sluice } from 'sluice/client';

const [, , port, redis, token, url, urlOnRedis] = process.argv;
const CLIENTS = 20_000;
const LIMIT = 1_000_000_000;

// A timeout that no busy machine reaches: what is measured is the work.
const settings = { token, timeout: 10_000, onUnreachable: 'throw' };
const sluice = new Sluice({ url, ...settings });
const onRedis = new Sluice({ url: urlOnRedis, ...settings });
const failing = { client: sluice, times: [] };
const peer = new RateLimiterRedis({ storeClient: new Redis(redis), points: LIMIT, duration: 60 });

function someone() {
  const i = Math.floor(Math.random() * CLIENTS);
  return `10.${i >> 14}.${(i >> 7) & 127}.${i & 127}`;
}

async function singleFetch() {
  const response = await fetch(`${url}/v1/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ class: 'read', ip: someone() }),
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.json();
}

const WAYS = {
  client: () => sluice.check({ class: 'read', ip: someone() }),
  'client-on-redis': () => onRedis.check({ class: 'read', ip: someone() }),
  async failing() {
    const start = performance.now();
    const answer = await failing.client.check({ class: 'read', ip: someone() });
    failing.times.push(performance.now() - start);
    return answer;
  },
  fetch: singleFetch,
  nothing: async () => ({ allowed: true }),
  redis: () => peer.consume(someone()).then(() => ({ allowed: true })),
};

const app = express();
app.get('/', (_request, response) => response.send('ok'));
app.post('/failing', (request, response) => {
  failing.client = new Sluice({ url: request.query.url, token });
  failing.times = [];
  response.json({});
});
app.get('/failing', (_request, response) => response.json(failing.times.sort((a, b) => a - b)));
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
