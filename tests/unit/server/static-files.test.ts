import { mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compressStatic } from '../../../server/compress-static';
import { createStaticHandler } from '../../../server/static-files';
import { close, listen } from '../../fixtures/listen';

const TEXT = 'export const text = "a text that is long enough to be worth compressing";\n'.repeat(20);
let root: string;
let server: Server;
let origin: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'sluice-static-'));
  mkdirSync(join(root, '.next/static/chunks'), { recursive: true });
  writeFileSync(join(root, '.next/static/chunks/a.js'), TEXT);
  writeFileSync(join(root, '.next/static/chunks/.hidden.js'), TEXT);
  await compressStatic(join(root, '.next/static'));
  const answer = createStaticHandler(root);
  server = createServer((req, res) => {
    req.headers['x-request-id'] = 'request-1';
    if (!answer(req as Parameters<typeof answer>[0], res as Parameters<typeof answer>[1])) res.writeHead(418).end();
  });
  origin = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(async () => {
  await close(server);
  rmSync(root, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(origin + path, { method, headers });
const FILE = '/_next/static/chunks/a.js';

it.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['br;q=0, gzip;q=0.0', null],
  ['identity', null],
])('answers Accept-Encoding: %s with %s', async (accepted, coding) => {
  const response = await get(`${FILE}?v=1`, { 'Accept-Encoding': accepted });
  expect(response.headers.get('content-encoding')).toBe(coding);
  expect(response.headers.get('cache-control')).toBe('public,max-age=31536000,immutable');
  expect(response.headers.get('vary')).toBe('Accept-Encoding');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).toBe(TEXT);
});

it('answers HEAD without a body, and ranges with the whole file', async () => {
  const head = await get(FILE, { 'Accept-Encoding': 'identity' }, 'HEAD');
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(TEXT.length), '']);
  for (const range of ['bytes=0-3', 'bytes=5-2', 'bytes=x'])
    expect(await (await get(FILE, { Range: range })).text()).toBe(TEXT);
});

it('refuses other methods, missing and hidden files; leaves other paths alone', async () => {
  const statuses = [
    await get(FILE, {}, 'POST'),
    await get('/_next/static/chunks/b.js'),
    await get('/_next/static/chunks/.hidden.js'),
    await get('/_next/static/..%2f..%2fBUILD_ID'),
    await get('/chunks/a.js'),
  ].map(({ status }) => status);
  expect(statuses).toEqual([405, 404, 404, 404, 418]);
});

it('a file that was deleted meanwhile breaks that answer and nothing else', async () => {
  unlinkSync(join(root, '.next/static/chunks/a.js.br'));
  await expect(get(FILE, { 'Accept-Encoding': 'br' }).then((response) => response.text())).rejects.toThrow();
  expect(await (await get(FILE, { 'Accept-Encoding': 'gzip' })).text()).toBe(TEXT);
});
