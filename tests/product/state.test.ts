import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manyEntries } from '@/tests/fixtures/many-entries';
import { ADMIN_TOKEN } from '@/tests/fixtures/product';
import { product, productSuite } from '@/tests/fixtures/product-suite';

productSuite();

const folder = mkdtempSync(join(tmpdir(), 'sluice-state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FILE = join(folder, 'sluice.yaml');

/** Runs the built command line as a process of its own. */
function sluice(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH, HOME: folder, SLUICE_URL: product.origin, SLUICE_TOKEN: ADMIN_TOKEN };
  return new Promise((resolve) => {
    execFile(process.execPath, ['bin/sluice.mjs', ...words], { env } as object, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: String(out), err: String(err) }),
    );
  });
}

const STATE = '/v1/admin/state';

describe('over HTTP', () => {
  it('a document may have 16 MiB, and no more', async () => {
    const padding = 15 * 1024 * 1024;
    const document = { ...manyEntries(1), $schema: '' };
    // Blanks are JSON too: the size of the body, without that much work.
    const send = (path: string, bytes: number) =>
      fetch(product.origin + path, {
        method: path === STATE ? 'PUT' : 'POST',
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(document) + ' '.repeat(bytes),
      });
    for (const path of [`${STATE}/plan`, STATE]) {
      expect((await send(path, padding)).status).toBe(200);
      const refused = await send(path, 16 * 1024 * 1024);
      expect([refused.status, await refused.json()]).toMatchObject([413, { error: 'payload_too_large' }]);
    }
    const batch = { operation: 'resetCounters', items: [{ type: 'ip', identifier: '10.0.0.0' }] };
    const wide = JSON.stringify(batch) + ' '.repeat(1024 * 1024 - 200);
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
    const answers = await Promise.all(
      [wide, `${wide}${' '.repeat(300)}`].map((body) =>
        fetch(`${product.origin}/v1/admin/batch`, { method: 'POST', headers, body }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 413]);
  });

  it('the schema is public, and accepts what the server answers', async () => {
    const response = await fetch(`${product.origin}/v1/state.schema.json`);
    expect(response.status).toBe(200);
    const accepts = new Ajv({ strict: false, validateFormats: false }).compile((await response.json()) as object);
    const state = await (await product.admin('GET', STATE)).json();
    expect(accepts(state), JSON.stringify(accepts.errors)).toBe(true);
    expect(accepts({ version: 1, allowlist: [{ type: 'ip', identifier: '10.0.0.1' }] })).toBe(false);
    const example = parse(readFileSync('docs/state.example.yaml', 'utf8'));
    expect(accepts(example), JSON.stringify(accepts.errors)).toBe(true);
    expect(Object.keys(example).sort()).toEqual(Object.keys(state as object).sort());
  });
});

describe('sluice state', () => {
  it('plans and applies the example, and then there is nothing to do', async () => {
    const example = 'docs/state.example.yaml';
    const planned = await sluice('state', 'plan', example);
    expect(planned.code, planned.err).toBe(4);
    expect(planned.out).toContain('~ policies\n    classes.auth.ip.limit: 10 -> 20\n');
    expect(planned.out).toContain('+ allowlist ip 203.0.113.0/24\n');
    expect(planned.out).toContain('~ alerts\n');
    expect(planned.out).toMatch(/ to create, 3 to update\.\n$/);
    const unasked = await sluice('state', 'apply', example);
    expect([unasked.code, unasked.out]).toEqual([2, planned.out]);
    const applied = await sluice('state', 'apply', example, '--yes', '--reason', 'Release 12');
    expect(applied.code, applied.err).toBe(0);
    expect(applied.out.match(/slk_[\w-]{43}/g)).toHaveLength(2);
    expect(await sluice('state', 'plan', example)).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
    const again = await sluice('state', 'apply', example, '--json');
    expect([again.code, JSON.parse(again.out).changes]).toEqual([0, []]);
  });

  it('pulls what it then finds unchanged, and prunes what a file does not name', async () => {
    expect((await sluice('state', 'pull', FILE)).code).toBe(0);
    const text = readFileSync(FILE, 'utf8');
    expect(text).toMatch(
      new RegExp(`^# yaml-language-server: \\$schema=${product.origin}/v1/state.schema.json\nversion: 1\n`),
    );
    expect(text).not.toContain('slk_');
    expect((await sluice('state', 'plan', FILE, '--prune')).code).toBe(0);
    // It does not write over a file unasked.
    expect((await sluice('state', 'pull', FILE)).code).toBe(2);
    const { allowlist, ...rest } = parse(text);
    writeFileSync(FILE, JSON.stringify({ ...rest, allowlist: allowlist.slice(1) }));
    expect((await sluice('state', 'plan', FILE)).code).toBe(0);
    const planned = await sluice('state', 'plan', FILE, '--prune', '--json');
    expect([planned.code, JSON.parse(planned.out).changes[0].action]).toEqual([4, 'delete']);
    expect((await sluice('state', 'apply', FILE, '--prune', '--yes')).code).toBe(0);
    expect((await sluice('state', 'plan', FILE, '--prune')).code).toBe(0);
  });

  it('says in which line a file is wrong', async () => {
    writeFileSync(FILE, 'version: 1\nallowlist:\n  - type: ip\n    identifier: nowhere\n    reason: Office\n');
    const refused = await sluice('state', 'plan', FILE);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('allowlist.0.identifier (line 4) must be an IP address or CIDR range');
    writeFileSync(FILE, 'version: 1\nallowlist: [\n');
    expect(await sluice('state', 'plan', FILE)).toMatchObject({ code: 2 });
    expect(await sluice('state', 'plan', join(folder, 'missing.yaml'))).toMatchObject({ code: 2 });
  });
});
