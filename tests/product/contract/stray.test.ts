import { beforeAll, describe, expect, it } from 'vitest';
import { generalDeviations } from '../../fixtures/described-answer';
import { ADMIN_TOKEN } from '../../fixtures/product';
import { product, sharedSuite } from '../../fixtures/shared-suite';
import { type WireAnswer, type WireRequest, wire } from '../../fixtures/wire';

let send: (request: WireRequest) => Promise<WireAnswer>;
sharedSuite();
beforeAll(async () => {
  send = wire(product.port);
});

const CANARY = 'kanarie7q';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ACCEPTS = ['*/*', 'application/problem+json'];

let addresses = 0;
/** From an address of its own, so that no limit is reached. */
async function ask(
  method: string,
  target: string,
  more: Record<string, string> = {},
): Promise<[WireRequest, WireAnswer]> {
  addresses += 1;
  const address = `198.51.${addresses >> 8}.${addresses & 255}`;
  const request = { method, target, headers: { 'X-Forwarded-For': address, ...more } };
  return [request, await send(request)];
}

describe('where there is nothing', () => {
  const PATHS = [
    `/v1/${CANARY}`,
    `/v1/admin/${CANARY}`,
    '/v1/admin',
    '/v1',
    `/v1/admin/policies/${CANARY}`,
    '/v1/admin/policies%2f',
    '/v1/forward-auth/envoy',
    `/v1/check/${CANARY}`,
    `/api/${CANARY}`,
    '/api',
    `/auth/${CANARY}`,
    '/auth',
    `/auth/token/${CANARY}`,
  ];

  it.each(PATHS)('%s is not found, by every method and in the form that was asked for', async (path) => {
    for (const method of METHODS) {
      for (const accept of ACCEPTS) {
        const [request, answer] = await ask(method, path, { Accept: accept });
        // A path that is a page for Next as well is no page for other methods.
        expect(answer.status, `${method} ${path}`).toBe(404);
        expect(generalDeviations(request, answer, CANARY), `${method} ${path}`).toEqual([]);
      }
    }
  });
});

describe('a slash too many', () => {
  it.each(['/v1/check/', '/v1/admin/policies/', '/v1//admin/policies', '/auth/token/', '/healthz/'])(
    '%s is redirected to the path without it, and nowhere else',
    async (path) => {
      for (const method of METHODS) {
        const [request, answer] = await ask(method, path);
        expect(answer.status, method).toBe(308);
        expect(answer.headers.location).toBe(path.replace(/\/$/, '').replace('//', '/'));
        expect(generalDeviations(request, answer, CANARY)).toEqual([]);
      }
    },
  );
});

describe('a page', () => {
  const MORE: Record<string, string>[] = [{}, { 'Next-Action': 'abc', 'Content-Type': 'text/plain' }];

  it.each(['/', '/docs', '/sign-in', '/keys', '/oauth', '/icon.svg'])(
    '%s takes GET and HEAD, and says so',
    async (path) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const accept of ACCEPTS) {
          for (const more of MORE) {
            const [request, answer] = await ask(method, path, { Accept: accept, ...more });
            expect(answer.status, method).toBe(405);
            expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
            expect(generalDeviations(request, answer, CANARY)).toEqual([]);
          }
        }
      }
      const [, options] = await ask('OPTIONS', path);
      expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
      expect((await ask('HEAD', path))[1].status).toBeLessThan(400);
    },
  );

  it('that does not exist is not found by other methods either', async () => {
    const [request, answer] = await ask('POST', `/${CANARY}`, { Accept: 'application/problem+json' });
    expect(answer.status).toBe(404);
    expect(generalDeviations(request, answer, CANARY)).toEqual([]);
  });
});

describe('every path of the document', () => {
  it('answers HEAD where it answers GET, OPTIONS with Allow, and other methods with 405 and Allow', async () => {
    const { paths } = (await (await fetch(`${product.origin}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const found: string[] = [];
    for (const [path, item] of Object.entries(paths)) {
      // Every method is a question about that method.
      if (path.startsWith('/v1/forward-auth/envoy/')) continue;
      const target = path.replace(/\{\w+\}/, '11111111-2222-4333-8444-555555555555');
      const methods = Object.keys(item).map((method) => method.toUpperCase());
      const [, options] = await ask('OPTIONS', target);
      const allowed = options.headers.allow?.split(', ') ?? [];
      const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
      if (options.status !== 204) found.push(`OPTIONS ${path}: ${options.status}`);
      if (allowed.toSorted().join() !== expected.toSorted().join())
        found.push(`${path} allows ${allowed}, not ${expected}`);
      for (const method of METHODS.filter((name) => !expected.includes(name))) {
        for (const accept of ACCEPTS) {
          const [request, answer] = await ask(method, target, {
            Accept: accept,
            Authorization: `Bearer ${ADMIN_TOKEN}`,
          });
          if (answer.status !== 405) found.push(`${method} ${path}: ${answer.status}`);
          if (answer.headers.allow !== options.headers.allow)
            found.push(`${method} ${path}: Allow ${answer.headers.allow}`);
          found.push(
            ...generalDeviations(request, answer, CANARY).map((deviation) => `${method} ${path}: ${deviation}`),
          );
        }
      }
    }
    expect(found).toEqual([]);
  });
});
