import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { Visitor } from '../../fixtures/visitor';

productSuite();

/** Runs `npm run reset-owner -- <words>` on a directory of a database. */
function reset(directory: string, words: string[] = [], env: Record<string, string> = {}) {
  const own = { PATH: process.env.PATH, DATABASE_URL: `file:${join(directory, 'sluice.db')}`, ...env };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) =>
    execFile(
      process.execPath,
      ['server.mjs', '--reset-owner', ...words],
      { env: own as unknown as NodeJS.ProcessEnv },
      (error, stdout, stderr) => done({ code: error === null ? 0 : error.code, stdout, stderr }),
    ),
  );
}

describe('npm run reset-owner', () => {
  it('beside a running server gives a link that works there, and ends the sessions', async () => {
    const owner = new Visitor();
    expect((await owner.signIn(OWNER_EMAIL, OWNER_PASSWORD)).status).toBe(200);
    const env = { SLUICE_PUBLIC_URL: 'https://sluice.example.com', SLUICE_LOG_LEVEL: 'info' };
    const { code, stdout, stderr } = await reset(product.directory, [], env);
    expect([code, stderr]).toEqual([0, '']);
    const [, token = ''] = /https:\/\/sluice\.example\.com\/invitation#(sli_\S+)/.exec(stdout) ?? [];
    expect((await owner.call('GET', '/v1/admin/members')).status).toBe(401);
    expect((await owner.accept(token, 'another good password')).status).toBe(200);
    expect((await owner.call('GET', '/v1/admin/members')).status).toBe(200);
    const [record] = (await (
      await product.admin('GET', '/v1/admin/audit?action=member.reset_owner')
    ).json()) as object[];
    expect(record).toMatchObject({ actor: 'system', actor_name: 'Sluice', target_name: OWNER_EMAIL });
  });

  it('works while Redis is down', async () => {
    const { code, stdout } = await reset(product.directory, [OWNER_EMAIL], {
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('/invitation#sli_')]);
  });

  it('refuses with a sentence where nobody matches', async () => {
    const { code, stdout, stderr } = await reset(product.directory, ['nobody@example.com', '--second-factor']);
    expect([code, stdout, stderr]).toEqual([1, '', `No member has this e-mail address. Owners: ${OWNER_EMAIL}.\n`]);
  });

  it('makes no database where there is none', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-reset-'));
    const { code, stderr } = await reset(directory);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('where there is no database: run this where Sluice runs'),
    ]);
    expect(existsSync(join(directory, 'sluice.db'))).toBe(false);
    rmSync(directory, { recursive: true });
  });

  it.runIf(process.getuid?.() === 0)('is left to the user whom the database belongs to', async () => {
    const file = join(product.directory, 'sluice.db');
    chownSync(file, 65_534, 65_534);
    const { code, stderr } = await reset(product.directory);
    chownSync(file, 0, 0);
    expect([code, stderr]).toEqual([1, expect.stringContaining('belongs to the user with the id 65534')]);
  });
});
