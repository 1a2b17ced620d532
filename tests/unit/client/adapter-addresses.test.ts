import { describe, expect, test } from 'vitest';
import { limit as expressLimit } from '@/client/adapters/express';
import { limit as fastifyLimit } from '@/client/adapters/fastify';
import { limit as fetchLimit, forwardedFor } from '@/client/adapters/fetch';
import { limit as honoLimit } from '@/client/adapters/hono';
import { limit as koaLimit } from '@/client/adapters/koa';
import { limit as nextLimit } from '@/client/adapters/next';
import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import { CheckSchema } from '@/lib/contract/check';
import { WRITTEN_ADDRESSES } from '../../fixtures/written-addresses';

const ALLOWED: CheckAnswer = { allowed: true, class: 'read', limit: 9, remaining: 8, reset: 60 };
interface Asker {
  sluice: { check(check: Check): Promise<CheckAnswer> };
  user?: () => string;
}
/** Asks for the limit on a request whose address is written so; answers the status that the caller sees. */
type Ask = (asker: Asker, written: string) => Promise<number>;

const web = (written: string) =>
  new Request('http://app.test/', { headers: { 'x-address': encodeURIComponent(written) } });
const writtenIn = ({ headers }: { headers: Headers }) => decodeURIComponent(headers.get('x-address') ?? '');

const ADAPTERS: [name: string, ask: Ask][] = [
  [
    'express',
    ({ sluice, user }, ip) =>
      new Promise((resolve, reject) => {
        const response = {
          statusCode: 200,
          writableFinished: true,
          locals: {},
          setHeader() {},
          end: () => resolve(response.statusCode),
          once() {},
        };
        const request = { method: 'GET', originalUrl: '/', ip, headers: {} };
        expressLimit(sluice, { user })(request, response, (error) => (error ? reject(error) : resolve(200)));
      }),
  ],
  [
    'koa',
    async ({ sluice, user }, ip) => {
      const sent = { method: 'GET', originalUrl: '/', ip, get: () => '', set() {}, state: {}, status: 200, body: '' };
      await koaLimit(sluice, { user })(
        { ...sent, res: { statusCode: 200, once() {} } } as never,
        async () => undefined,
      );
      return sent.status;
    },
  ],
  [
    'fastify',
    async ({ sluice, user }, ip) => {
      let status = 200;
      const reply = {
        headers: () => reply,
        send: () => reply,
        raw: { statusCode: 200, once() {} },
        code(sent: number) {
          status = sent;
          return reply;
        },
      };
      await fastifyLimit(sluice, { user })({ method: 'GET', url: '/', ip, headers: {} }, reply as never);
      return status;
    },
  ],
  [
    'hono',
    async ({ sluice, user }, ip) => {
      const response = new Response('ok');
      const req = { method: 'GET', path: '/', header: () => undefined };
      const context = { req, header() {}, set() {}, res: response };
      const refused = await honoLimit(sluice, { ip: () => ip, user })(context, async () => undefined);
      return refused?.status ?? 200;
    },
  ],
  [
    'fetch',
    async ({ sluice, user }, ip) =>
      (await fetchLimit(sluice, { ip: writtenIn, user })(() => new Response('ok'))(web(ip))).status,
  ],
  [
    'next',
    async ({ sluice, user }, ip) =>
      (await nextLimit(sluice, { ip: writtenIn, user })(() => new Response('ok'))(web(ip))).status,
  ],
];

describe.each(ADAPTERS)('%s', (_, ask) => {
  const checkOf = async (written: string, user?: () => string) => {
    const asked: Check[] = [];
    const check = async (given: Check) => {
      asked.push(given);
      return ALLOWED;
    };
    expect(await ask({ sluice: { check }, user }, written), written).toBe(200);
    expect(asked).toHaveLength(1);
    // The server takes it.
    expect(CheckSchema.safeParse(asked[0]).success, written).toBe(true);
    return asked[0];
  };

  test('reads the address however it is written, and makes no error of one that cannot be read', async () => {
    for (const [written, address] of WRITTEN_ADDRESSES) {
      // All that cannot be read share the counter of an address that nobody has.
      expect((await checkOf(written))?.ip, written).toBe(address ?? '192.0.0.8');
      const withUser = await checkOf(written, () => 'alice');
      expect([withUser?.ip, withUser?.user_id], written).toEqual([address ?? undefined, 'alice']);
    }
  });
});

test('forwardedFor hands on what each proxy wrote', () => {
  for (const [written, address] of WRITTEN_ADDRESSES.filter(([text]) => !/[,\s]/.test(text) && text !== '')) {
    const headers = new Headers({ 'x-forwarded-for': `1.1.1.1, ${written}, 10.0.0.1` });
    expect(forwardedFor(2)({ headers })).toBe(address ?? written);
  }
});
