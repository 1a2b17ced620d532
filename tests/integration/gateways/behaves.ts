import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Application } from '../../fixtures/application';
import { freePort } from '../../fixtures/free-port';
import { type Product, startProduct } from '../../fixtures/product';
import { curl, isInstalled, type Program, startBehindGateway } from './processes';

/** Where a gateway finds the others, and how it shows who it is. */
export interface Surroundings {
  port: number;
  sluice: number;
  application: number;
  token: string;
  /** For its files; empty at first. */
  directory: string;
}

/** What every gateway in front of an application promises, tried on a real one with a real Sluice behind it. */
export function behaves(name: string, start: (surroundings: Surroundings) => Promise<Program>): void {
  const installed = ['curl', name].every(isInstalled);
  if (!installed) console.warn(`SKIPPED: gateways/${name}: ${name} (or curl) is not installed`);

  describe.skipIf(!installed)(`${name} in front of an application`, () => {
    const directory = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
    const running: Program[] = [];
    let product: Product;
    let application: Application;
    let origin: string;
    let last = 0;

    const from = () => {
      last += 1;
      return `127.0.7.${last}`;
    };
    const call = (client: string, path: string, ...args: string[]) => curl(`${origin}${path}`, client, ...args);

    /** Another gateway of this kind, with another token. */
    async function open(token: string, place: string): Promise<string> {
      const port = await freePort();
      const surroundings = { port, sluice: product.port, application: application.port, token, directory: place };
      running.push(await start(surroundings));
      return `http://127.0.0.1:${port}`;
    }

    async function newToken(role: string): Promise<string> {
      const response = await product.admin('POST', '/v1/admin/tokens', { name: role, role });
      return ((await response.json()) as { token: string }).token;
    }

    beforeAll(async () => {
      product = await startProduct();
      application = await startBehindGateway();
      origin = await open(await newToken('gateway'), directory);
    });
    afterAll(async () => {
      for (const program of running) await program.stop();
      await application?.close();
      await product?.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    it('lets a request through as it is, and puts the limit headers on the answer', async () => {
      const client = from();
      const headers = ['-H', 'Authorization: Bearer of-the-client', '-H', 'Cookie: a=b'];
      const first = await call(client, '/api/x?a=1&b=%20', '-X', 'PUT', '-d', 'a body', ...headers);
      expect(first.status).toBe(200);
      expect(first.body).toBe('the application');
      expect(first.headers.get('x-application')).toBe('yes');
      expect(first.headers.get('x-ratelimit-limit')).toBe('50');
      expect(first.headers.get('x-ratelimit-remaining')).toBe('49');
      expect(Number(first.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
      expect(first.headers.get('x-quota-limit')).toBeNull();
      expect(first.headers.get('x-ratelimit-status')).toBeNull();
      const seen = application.seen.at(-1);
      expect(seen).toMatchObject({ method: 'PUT', url: '/api/x?a=1&b=%20', body: 'a body' });
      expect(seen?.headers).toMatchObject({ authorization: 'Bearer of-the-client', cookie: 'a=b' });
      expect(seen?.headers).not.toHaveProperty('x-admin-token');
      expect((await call(client, '/api/x', '-X', 'PUT')).headers.get('x-ratelimit-remaining')).toBe('48');
    });

    it('answers 429 with body, limit headers and Retry-After, and spares the application', async () => {
      const client = from();
      for (let index = 0; index < 10; index += 1) expect((await call(client, '/auth/token')).status).toBe(200);
      const before = application.seen.length;
      const refused = await call(client, '/auth/token');
      expect(refused.status).toBe(429);
      expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(JSON.parse(refused.body)).toEqual({
        error: 'rate_limit_exceeded',
        error_description: 'Too many requests from this address.',
      });
      expect(refused.headers.get('x-ratelimit-limit')).toBe('10');
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect(application.seen).toHaveLength(before);
    });

    it('admits exactly the limit of many requests at once', async () => {
      const client = from();
      const answers = await Promise.all(Array.from({ length: 70 }, () => call(client, '/api/x', '-X', 'POST')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    });

    it('does not let a client say who it is, what it asks for, or how it is answered', async () => {
      const client = from();
      const forged = [
        ['X-Forwarded-For: 203.0.113.1', 'X-Real-IP: 203.0.113.1', 'Forwarded: for=203.0.113.1'],
        ['X-Forwarded-Uri: /api/x', 'X-Forwarded-Method: GET', 'X-Original-URI: /api/x'],
        ['X-Admin-Token: wrong', 'X-User-Id: somebody', 'X-RateLimit-Limit: 7'],
        ['X-RL-Status: 200', 'X-RateLimit-Status: bypassed', 'X-HTTP-Method-Override: GET'],
        [],
      ];
      for (let index = 0; index < 10; index += 1) {
        const headers = (forged[index % forged.length] ?? []).flatMap((header) => ['-H', header]);
        const path = `/auth/token?proxy=nginx&user_header=X-User-Id&n=${index}&n=1`;
        const answer = await call(client, path, ...headers);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(9 - index));
      }
      expect((await call(client, '/api/..//%61uth/token?x', '-H', 'X-Forwarded-For: 203.0.113.1')).status).toBe(429);
    });

    it('passes a key on: its quota, 401 for an unknown one, 400 for two', async () => {
      const created = await product.admin('POST', '/v1/admin/api-keys', { name: 'client', tier: 'starter' });
      const { secret } = (await created.json()) as { secret: string };
      const client = from();
      const known = await call(client, '/api/x', '-H', `X-API-Key: ${secret}`);
      expect(known.status).toBe(200);
      expect(known.headers.get('x-quota-limit')).toBe('10000');
      expect(known.headers.get('x-quota-remaining')).toBe('9999');
      expect(Number(known.headers.get('x-quota-reset'))).toBeGreaterThan(Date.now() / 1000);
      const unknown = await call(client, '/api/x', '-H', 'X-API-Key: slk_unknown');
      expect(unknown.status).toBe(401);
      expect(unknown.headers.get('www-authenticate')).toBe('ApiKey realm="sluice"');
      expect(JSON.parse(unknown.body)).toMatchObject({ error: 'invalid_api_key' });
      const two = await call(client, '/api/x', '-H', `X-API-Key: ${secret}`, '-H', 'X-API-Key: slk_other');
      expect(two.status).toBe(400);
      expect(JSON.parse(two.body)).toMatchObject({ error: 'invalid_request' });
    });

    it('says when somebody bypasses, without limit headers', async () => {
      const client = from();
      const entry = { type: 'ip', identifier: client, reason: 'test' };
      expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBe(200);
      for (let index = 0; index < 12; index += 1) {
        const answer = await call(client, '/auth/token');
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-ratelimit-status')).toBe('bypassed');
        expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
      }
    });

    it("leaves the application's own refusals and faults alone", async () => {
      const client = from();
      for (const status of [401, 403, 404, 429, 500, 503]) {
        const answer = await call(client, `/api/x?status=${status}`);
        expect(answer.status).toBe(status);
        expect(answer.body).toBe('the application');
        expect(answer.headers.get('x-ratelimit-limit')).toBe('100');
      }
    });

    it('answers 503 when its own token is refused: its client could do nothing about that', async () => {
      for (const token of ['not-a-token', await newToken('viewer')]) {
        const wrong = await open(token, mkdtempSync(join(directory, 'wrong-')));
        const answer = await curl(`${wrong}/api/x`, from());
        expect(answer.status).toBe(503);
        expect(JSON.parse(answer.body)).toMatchObject({ error: 'service_unavailable' });
      }
    });

    it("passes Sluice's own 503 on while the counter store is down, where the class is closed", async () => {
      const other = new Libsql(join(product.directory, 'sluice.db'));
      other.exec('begin immediate');
      try {
        const refused = await call(from(), '/auth/token');
        expect(refused.status).toBe(503);
        expect(JSON.parse(refused.body)).toMatchObject({ error: 'service_unavailable' });
        expect(refused.body).toContain('counter store');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        const served = await call(from(), '/api/x');
        expect(served.status).toBe(200);
        expect(served.headers.get('x-ratelimit-status')).toBe('degraded');
        expect(served.headers.get('x-ratelimit-limit')).toBe('50');
      } finally {
        other.exec('rollback');
        other.close();
      }
    });

    it('answers 503 with Retry-After while Sluice is down, without making its client wait', async () => {
      await product.stop();
      const before = application.seen.length;
      for (let index = 0; index < 3; index += 1) {
        const answer = await call(from(), '/api/x');
        expect(answer.status).toBe(503);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(answer.headers.get('retry-after')).toBe('2');
        expect(JSON.parse(answer.body)).toMatchObject({ error: 'service_unavailable' });
      }
      expect(application.seen).toHaveLength(before);
    });
  });
}
