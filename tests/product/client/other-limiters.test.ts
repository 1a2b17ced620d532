import type { Server } from 'node:http';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SluiceStore as Store } from '@/client/adapters/express-rate-limit';
import type { LimitClient } from '@/client/adapters/limit-operations';
import type { Ratelimit as Class } from '@/client/adapters/upstash-ratelimit';
import type { SluiceOptions } from '@/client/sluice';
import { close } from '../../fixtures/listen';
import { importPacked } from '../../fixtures/packed-client';
import { product, productSuite } from '../../fixtures/product-suite';

const limit = { limit: 3, window_seconds: 5 };
productSuite({ SLUICE_POLICIES: JSON.stringify({ classes: { read: { ip: limit }, write: { user: limit } } }) });

let SluiceStore: typeof Store;
let Ratelimit: typeof Class;
/** Clients by the role of their token. */
const clients: Record<string, LimitClient> = {};

beforeAll(async () => {
  ({ SluiceStore } = await importPacked<{ SluiceStore: typeof Store }>('express-rate-limit'));
  ({ Ratelimit } = await importPacked<{ Ratelimit: typeof Class }>('upstash-ratelimit'));
  const { Sluice } = await importPacked<{ Sluice: new (options: SluiceOptions) => LimitClient }>('index.node');
  for (const role of ['gateway', 'operator']) {
    const response = await product.admin('POST', '/v1/admin/tokens', { name: role, role });
    const { token } = (await response.json()) as { token: string };
    clients[role] = new Sluice({ url: product.origin, token, timeout: 60_000, onUnreachable: 'throw' });
  }
});

const clientOf = (role: 'gateway' | 'operator') => clients[role]!;

describe('an application with express-rate-limit', () => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    const app = express();
    const store = new SluiceStore({ sluice: clientOf('gateway'), class: 'read' });
    app.use(rateLimit({ limit: 3, windowMs: 5_000, standardHeaders: 'draft-8', store }));
    app.use((_request, response) => void response.send('ok'));
    server = await new Promise((resolve) => {
      const started = app.listen(0, '127.0.0.1', () => resolve(started));
    });
    origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterAll(() => close(server));

  it('refuses the fourth request, until `Retry-After` has passed', async () => {
    const answers = [await fetch(origin), await fetch(origin), await fetch(origin), await fetch(origin)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const seconds = Number(answers[3]?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(6);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    expect((await fetch(origin)).status).toBe(200);
  });

  it('resets a key with a token of the role operator, and not with one of the role gateway', async () => {
    const key = '198.51.100.7';
    const store = (role: 'gateway' | 'operator') => new SluiceStore({ sluice: clientOf(role), class: 'read' });
    for (let i = 0; i < 3; i += 1) await store('gateway').increment(key);
    await expect(store('gateway').resetKey(key)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    expect(await store('operator').get(key)).toMatchObject({ totalHits: 3 });
    await store('operator').resetKey(key);
    expect(await store('operator').get(key)).toBeUndefined();
    expect(await store('gateway').increment(key)).toMatchObject({ totalHits: 1 });
  });
});

describe('an application with Ratelimit', () => {
  const create = (role: 'gateway' | 'operator') =>
    new Ratelimit({ sluice: clientOf(role), limiter: Ratelimit.slidingWindow(3, '5 s'), prefix: 'app' });

  it('limits an identifier, and waits until it is ready', async () => {
    const ratelimit = create('gateway');
    const answers = await Promise.all([1, 2, 3, 4].map(() => ratelimit.limit('alice')));
    expect(answers.map(({ success }) => success)).toEqual([true, true, true, false]);
    expect(await ratelimit.blockUntilReady('alice', 60_000)).toMatchObject({ success: true, limit: 3 });
  });

  it('reads and resets an identifier with a token of the role operator', async () => {
    await create('gateway').limit('bob', { rate: 2 });
    expect(await create('operator').getRemaining('bob')).toMatchObject({ limit: 3, remaining: 1 });
    await create('operator').resetUsedTokens('bob');
    expect(await create('operator').getRemaining('bob')).toMatchObject({ limit: 3, remaining: 3 });
    await expect(create('gateway').getRemaining('bob')).rejects.toMatchObject({ code: 'forbidden' });
  });
});
