import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Product } from '../../fixtures/product';
import { type Application, LARGE } from './application';
import { call, nextAddress, open, sha256, webSocket } from './clients';
import { useConsole } from './console';
import { proves } from './documented';
import { type Edge, type GatewayName, installedGateways, type Mode, startGateway } from './gateways';
import { curl } from './processes';
import { startSurroundings } from './surroundings';

const MODES = ['beside', 'behind'] as const;
const BODY = Buffer.alloc(LARGE, 'abcdefg');

/** By which lines of the files a silent connection ends: too long to wait for. */
const SILENCES: Record<GatewayName, { cell: string; lines: readonly [file: string, line: RegExp][] }> = {
  nginx: {
    cell: '75 s',
    lines: ['nginx.conf', 'nginx-behind.conf'].map((file) => [file, /proxy_read_timeout 75s;/]),
  },
  caddy: { cell: 'no limit', lines: [] },
  haproxy: {
    cell: '75 s; a WebSocket 1 h',
    lines: ['haproxy.cfg', 'haproxy-behind.cfg'].map((file) => [file, /timeout server 75s[\s\S]*timeout tunnel 1h/]),
  },
  apache: {
    cell: '75 s',
    lines: ['apache.conf', 'apache-behind.conf'].map((file) => [file, /timeout=75/]),
  },
};

/** Bodies, event streams, WebSockets and addresses: through a gateway with Sluice beside it, and with Sluice behind it. */
describe('through a gateway', () => {
  const edges = new Map<string, Edge>();
  let product: Product;
  let application: Application;
  let lastId = 0;

  const edge = (gateway: GatewayName, mode: Mode): Edge => {
    const found = edges.get(`${gateway} ${mode}`);
    if (found === undefined) throw new Error(`${gateway} does not run.`);
    return found;
  };
  const newId = () => {
    lastId += 1;
    return `stream-${lastId}`;
  };

  /** A check of both modes, by http and https; the answers must be the same, or are told apart by mode. */
  const through =
    (check: (origin: string, gateway: GatewayName, mode: Mode) => Promise<string | undefined>) =>
    async (gateway: GatewayName): Promise<string> => {
      const answers = [];
      for (const mode of MODES) {
        const { origin, secureOrigin } = edge(gateway, mode);
        const [plain, secure] = [await check(origin, gateway, mode), await check(secureOrigin, gateway, mode)];
        expect(secure).toBe(plain);
        answers.push(plain ?? 'yes');
      }
      return [...new Set(answers)].join('; behind: ');
    };

  beforeAll(async () => {
    const { token, ...started } = await startSurroundings({ SLUICE_IETF_HEADERS: 'on' });
    ({ product, application } = started);
    const options = { sluice: product.port, application: application.port, token };
    const pairs = installedGateways.flatMap((gateway) => MODES.map((mode) => ({ gateway, mode })));
    await Promise.all(
      pairs.map(async ({ gateway, mode }) =>
        edges.set(`${gateway} ${mode}`, await startGateway(gateway, mode, options)),
      ),
    );
  });
  afterAll(async () => {
    await Promise.all([...edges.values()].map((running) => running.stop()));
    await application?.close();
    await product?.stop();
  });

  proves('What passes, in both modes', installedGateways, {
    'An upload of 8 MiB arrives whole, and begins to arrive before it ends': through(async (origin) => {
      const id = newId();
      const headers = { 'Content-Length': LARGE, 'X-Id': id };
      const outgoing = open(`${origin}/api/upload`, { method: 'PUT', localAddress: nextAddress(), headers });
      outgoing.write(BODY.subarray(0, LARGE / 2));
      await application.receives(id);
      outgoing.end(BODY.subarray(LARGE / 2));
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(200);
      expect(application.seen.at(-1)?.body).toEqual({ bytes: LARGE, sha256: sha256(BODY) });
    }),

    'So does one of unknown length': through(async (origin) => {
      const id = newId();
      const outgoing = open(`${origin}/api/upload`, {
        method: 'POST',
        localAddress: nextAddress(),
        headers: { 'X-Id': id },
      });
      outgoing.write(BODY.subarray(0, LARGE / 2));
      await application.receives(id);
      outgoing.end(BODY.subarray(LARGE / 2));
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(200);
      expect(application.seen.at(-1)?.body).toEqual({ bytes: LARGE, sha256: sha256(BODY) });
    }),

    'An answer of 8 MiB arrives whole': through(async (origin) => {
      const outgoing = open(`${origin}/api/download?large`, { localAddress: nextAddress() });
      outgoing.end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      let bytes = 0;
      for await (const chunk of answer) bytes += chunk.length;
      expect(bytes).toBe(LARGE);
    }),

    'Server-sent events arrive as they are sent': through(async (origin) => {
      const id = newId();
      const outgoing = open(`${origin}/api/stream?events`, { localAddress: nextAddress(), headers: { 'X-Id': id } });
      outgoing.end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of answer) {
        text += String(chunk);
        if (text === 'data: first\n\n') application.proceed(id);
      }
      expect(text).toBe('data: first\n\ndata: second\n\n');
    }),

    'A WebSocket opens, and counts when it does: beyond the limit it gets 429': through(async (origin) => {
      const client = nextAddress();
      for (let index = 0; index < 10; index += 1) {
        const { said, socket } = await webSocket(`${origin}/login`, client);
        socket?.destroy();
        expect(said).toBe('hello');
      }
      expect((await webSocket(`${origin}/login`, client)).said).toBe('429');
    }),

    'Longest silence of an answer or a WebSocket': async (gateway) => {
      const { cell, lines } = SILENCES[gateway];
      for (const [file, line] of lines) expect(readFileSync(`docs/gateways/${file}`, 'utf8')).toMatch(line);
      return cell;
    },

    'HTTP/2': async (gateway) => {
      for (const mode of MODES) {
        const { secureOrigin } = edge(gateway, mode);
        const client = nextAddress();
        const args = ['-k', '--http2'];
        const answer = await curl(`${secureOrigin}/api/x`, client, ...args, '-X', 'PUT', '--data-binary', 'a body');
        expect(answer).toMatchObject({ status: 200, body: 'the application', version: 'HTTP/2' });
        expect(answer.headers.get('x-ratelimit-remaining')).toBe('49');
        expect(application.seen.at(-1)).toMatchObject({ method: 'PUT', body: { bytes: 6 } });
        for (let index = 0; index < 10; index += 1) await curl(`${secureOrigin}/login`, client, ...args);
        const refused = await curl(`${secureOrigin}/login`, client, ...args);
        expect(refused).toMatchObject({ status: 429, version: 'HTTP/2' });
      }
    },

    '`RateLimit` and `RateLimit-Policy` reach the client, with `SLUICE_IETF_HEADERS=on`': through(async (origin) => {
      const answer = await call(`${origin}/api/x`, nextAddress());
      expect(answer.headers.get('ratelimit')).toMatch(/;r=99;t=\d+$/);
      expect(answer.headers.get('ratelimit-policy')).toMatch(/;q=100;w=60$/);
    }),

    'Whom the application sees in `X-Forwarded-For`': through(async (origin) => {
      const client = nextAddress();
      const answer = await call(`${origin}/api/x`, client, { headers: { 'X-Forwarded-For': '203.0.113.1' } });
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('99');
      const { headers } = application.seen.at(-1) ?? {};
      expect(headers).toMatchObject({
        'x-forwarded-proto': new URL(origin).protocol.slice(0, -1),
        'x-forwarded-host': new URL(origin).host,
      });
      return String(headers?.['x-forwarded-for']).replace(client, 'the client').replace('127.0.0.1', 'the gateway');
    }),

    'Behind, over https, a member signs in to the console, changes something, and signs out': async (gateway) => {
      await useConsole(edge(gateway, 'behind').secureOrigin, nextAddress());
      return undefined;
    },
  });
});
