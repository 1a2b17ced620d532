import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import { type InstalledClient, installClient } from '@/tests/fixtures/installed-client';

let client: InstalledClient;
let folder: string;
let installed: InstalledClient['path'];

beforeAll(async () => {
  client = await installClient();
  ({ folder, path: installed } = client);
});
afterAll(() => client[Symbol.dispose]());

/** What the compiler says of a file beside the installed package. */
function compile(source: string): string {
  writeFileSync(join(folder, 'main.ts'), source);
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }));
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], {
    encoding: 'utf8',
  });
  return stdout;
}

/** A call of every operation with its example, as a program writes it. */
function everyCall(): string {
  const camelCase = (word: string) => word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return CONTRACTS.flatMap(({ command, path, body, query, example = {} }) => {
    if (command === undefined) return [];
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const given = names.map((name) => JSON.stringify(example.params?.[name] ?? 'x'));
    const sent = body === undefined ? [] : [JSON.stringify(example.body) ?? 'undefined'];
    const asked = query === undefined || example.query === undefined ? [] : [JSON.stringify(example.query)];
    const method = command.split(' ').map(camelCase).join('.');
    return `await sluice.${method}(${[...given, ...sent, ...asked].join(', ')});`;
  }).join('\n');
}

describe('the packed client', () => {
  it('is small, and npm installs nothing beside it', () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['sluice']);
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['sluice']);
    // `file:sluice-0.1.0.tgz`
    expect(readFileSync('docs/client.md', 'utf8')).toContain(
      `npm install ./${dependencies.sluice.slice('file:'.length)}`,
    );
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' }).map((name) =>
      statSync(installed(name)),
    );
    const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    expect(bytes).toBeLessThan(400_000);
    // No folder of its own, such as those of packages that were bundled.
    expect(readdirSync(installed()).filter((name) => statSync(installed(name)).isDirectory())).toEqual([]);
  });

  it("is imported by the names that the product's own package has", () => {
    const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
    const [product, packed] = [read('package.json'), read(installed('package.json'))];
    expect(Object.keys(packed.exports)).toEqual(Object.keys(product.exports));
    for (const field of ['name', 'version', 'type', 'engines']) expect(packed[field]).toEqual(product[field]);
    for (const field of Object.keys(packed)) expect(field).not.toMatch(/dependencies|scripts|bin/i);
    const targets = Object.values<string | Record<string, string>>(packed.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    );
    for (const target of targets) expect(existsSync(installed(target)), target).toBe(true);
  });

  it('is typed without zod: every operation takes its example', () => {
    const source = `import { Sluice } from 'sluice/client';
      const sluice = new Sluice({ url: 'https://sluice.example.com', token: 'token' });
      ${everyCall()}`;
    expect(compile(source)).toBe('');
    for (const file of readdirSync(installed()).filter((name) => name.endsWith('.d.ts'))) {
      expect(readFileSync(installed(file), 'utf8')).not.toMatch(/zod|@\//);
    }
  });

  it('does not compile with a wrong argument', () => {
    const source = `import { Sluice, SluiceError, type AllowlistEntry, type CheckAnswer } from 'sluice/client';
      const sluice = new Sluice({ url: 'https://sluice.example.com', token: 'token', onUnreachable: { auth: 'allow' } });
      const answer: CheckAnswer = await sluice.check({ class: 'read', ip: '::1' });
      if (answer.status === 'unreachable') console.log(answer.retry_after?.toFixed());
      const entries: readonly AllowlistEntry[] = await sluice.allowlist.list({ status: 'active', limit: 5 });
      for await (const entry of sluice.allowlist.list()) console.log(entry.identifier);
      const { value, etag } = await sluice.keys.get('id').withAnswer();
      await sluice.keys.update(value.id, { name: 'x' }, { reason: 'y', ifMatch: etag ?? '' });
      const gone: void = await sluice.keys.revoke('id');
      for await (const event of sluice.assessments.start({ target: { lab: {} } })) console.log(event);
      console.log(entries, gone, new SluiceError('timeout', 'late').requestId);
      const [policies, routeRules] = [await sluice.policies.get(), await sluice.routes.get()];
      new Sluice({ url: 'https://sluice.example.com', token: 'token', policies, routeRules });
      new Sluice({ url: 'https://sluice.example.com', token: 'token', policies: { classes: { read: { on_store_failure: 'closed' } } } });
      // @ts-expect-error an option that there is not
      new Sluice({ url: 'https://sluice.example.com', token: 'token', retries: 3 });
      // @ts-expect-error a class that there is not
      await sluice.check({ class: 'reed' });
      // @ts-expect-error a member that there is not
      await sluice.allowlist.add({ type: 'ip', identifier: '::1', reason: 'x', note: 'y' });
      // @ts-expect-error a body that is missing
      await sluice.allowlist.add();
      // @ts-expect-error an id that is missing
      await sluice.keys.get();
      // @ts-expect-error a query that there is not
      await sluice.keys.list({ colour: 'red' });
      // @ts-expect-error an operation that there is not
      await sluice.keys.forget('id');`;
    expect(compile(source)).toBe('');
  });

  it('types the adapters by what their framework brings', () => {
    const source = `import { Sluice } from 'sluice/client';
      import { limit as express } from 'sluice/express';
      import { limit as fastify } from 'sluice/fastify';
      import { forwardedFor, limit as web } from 'sluice/fetch';
      import { limit as hono } from 'sluice/hono';
      import { limit as koa } from 'sluice/koa';
      import { SluiceStore } from 'sluice/express-rate-limit';
      import { Ratelimit, type RatelimitConfig } from 'sluice/upstash-ratelimit';
      const sluice = new Sluice({ url: 'https://sluice.example.com', token: 'token' });
      const hits: Promise<{ totalHits: number; resetTime: Date | undefined }> =
        new SluiceStore({ sluice, class: 'write' }).increment('203.0.113.7');
      const config: RatelimitConfig = { limiter: Ratelimit.slidingWindow(10, '10 s') };
      const { success }: { success: boolean } = await new Ratelimit({ ...config, sluice, redis: {}, analytics: true, prefix: 'x' })
        .limit('alice', { rate: 2, ip: '203.0.113.7' });
      console.log(hits, success);
      // @ts-expect-error a class that there is not
      new SluiceStore({ sluice, class: 'reed' });
      // @ts-expect-error a window without a unit
      Ratelimit.slidingWindow(10, '10');
      express(sluice, { user: (request) => request.ip, class: 'write', cost: 2 });
      fastify(sluice, { skip: (request) => request.url === '/' });
      koa(sluice, { body: (context, answer) => ({ path: context.originalUrl, error: answer.error }) });
      hono(sluice, { user: (context) => context.req.header('x-user') });
      const handler: (request: Request) => Promise<Response> = web(sluice, { ip: forwardedFor(2) })(() => new Response());
      console.log(handler);
      // @ts-expect-error nobody to count
      hono(sluice, {});
      // @ts-expect-error nobody to count
      web(sluice, { class: 'read' });`;
    expect(compile(source)).toBe('');
  });

  it('runs alone, with nothing installed beside it', () => {
    const source = `import { Sluice, SluiceError } from 'sluice/client';
      import 'sluice/express'; import 'sluice/express-rate-limit'; import 'sluice/fastify'; import 'sluice/fetch'; import 'sluice/hono'; import 'sluice/koa'; import 'sluice/upstash-ratelimit';
      const seen = [];
      const fetch = async (url, init) => {
        seen.push([init.method, url, init.headers.authorization, init.body]);
        if (url.includes('cursor=2')) return Response.json([{ n: 3 }]);
        if (url.includes('allowlist')) return Response.json([{ n: 1 }, { n: 2 }], { headers: { link: '</v1/x?cursor=2>; rel="next"' } });
        if (init.method === 'DELETE') return new Response(null, { status: 204, headers: { 'x-audit-seq': '7' } });
        if (url.includes('assessments')) return new Response('{"a":1}\\n{"a":2}\\n', { headers: { 'content-type': 'application/x-ndjson' } });
        return Response.json({ error: 'not_found', error_description: 'No such key.' }, { status: 404, headers: { 'x-request-id': 'r1' } });
      };
      const sluice = new Sluice({ url: 'https://sluice.example.com/base/', token: 'token', fetch });
      const entries = [];
      for await (const { n } of sluice.allowlist.list({ limit: 2, q: 'ä b' })) entries.push(n);
      const events = [];
      for await (const { a } of sluice.assessments.start({ target: { lab: {} } })) events.push(a);
      const { value, auditSeq } = await sluice.keys.revoke('a/b', { reason: 'old' }).withAnswer();
      const error = await sluice.keys.get('x').catch((thrown) => thrown);
      const missing = await sluice.keys.get('').catch((thrown) => thrown);
      console.log(JSON.stringify({
        seen: seen.slice(0, 4), entries, events, auditSeq, value: value === undefined,
        error: [error instanceof SluiceError, error.code, error.status, error.requestId, error.message],
        missing: missing.message,
      }));`;
    writeFileSync(join(folder, 'main.mjs'), source);
    const output = execFileSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' });
    const base = 'https://sluice.example.com/base/v1';
    expect(JSON.parse(output)).toEqual({
      seen: [
        ['GET', `${base}/admin/rate-limit/allowlist?limit=2&q=%C3%A4+b`, 'Bearer token', null],
        ['GET', `${base}/admin/rate-limit/allowlist?limit=2&q=%C3%A4+b&cursor=2`, 'Bearer token', null],
        ['POST', `${base}/oauth/assessments`, 'Bearer token', '{"target":{"lab":{}}}'],
        ['DELETE', `${base}/admin/api-keys/a%2Fb?reason=old`, 'Bearer token', null],
      ],
      entries: [1, 2, 3],
      events: [1, 2],
      auditSeq: 7,
      value: true,
      error: [true, 'not_found', 404, 'r1', 'No such key.'],
      missing: '{id} must be given.',
    });
  });

  it('adds less than 11 kB to a program that checks', async () => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: `import { Sluice } from 'sluice/client';
          const sluice = new Sluice({ url: 'https://sluice.example.com', token: 'token' });
          export const decide = (ip) => sluice.check({ class: 'read', ip });`,
        resolveDir: folder,
      },
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      outdir: join(folder, 'bundle'),
      write: false,
      metafile: true,
    });
    // What is loaded at once; the operations are loaded with the first of them.
    const [[main = '', { imports }] = ['', { imports: [] }]] = Object.entries(metafile.outputs).filter(
      ([, { entryPoint }]) => entryPoint !== undefined,
    );
    const eager = [main, ...imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)];
    const bytes = eager.flatMap((path) => [
      ...(outputFiles.find((file) => file.path.endsWith(path.split('/').pop() ?? ''))?.contents ?? []),
    ]);
    expect(gzipSync(Uint8Array.from(bytes)).length).toBeLessThan(11_000);
  });
});
