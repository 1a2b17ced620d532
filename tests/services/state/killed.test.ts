import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { allowlist, audit } from '@/drizzle/schema';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import { call } from '@/tests/fixtures/call';
import { manyEntries } from '@/tests/fixtures/many-entries';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';
import { servicesOn } from '@/tests/fixtures/services';

const COUNT = 10_000;
let script: string;

beforeAll(async () => {
  script = await bundle('tests/services/state/apply-process.ts');
});

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

describe('an apply of 10,000 entries that is killed', () => {
  it.each([0, 1, 1_000_000, 4_000_000])(
    'after %i bytes of its transaction is all there or not at all',
    async (bytes) => {
      using file = await migratedDatabase();
      const log = `${file.path}-wal`;
      const child = fork(script, [file.path, String(COUNT)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      let isOver = false;
      const exit = once(child, 'exit').then(() => {
        isOver = true;
      });
      await once(child, 'message');
      const before = sizeOf(log);
      while (!isOver && bytes > 0 && sizeOf(log) < before + bytes) await setImmediate();
      child.kill('SIGKILL');
      await exit;
      const database = file.reopen();
      const rows = [await database.drizzle.$count(audit), await database.drizzle.$count(allowlist)];
      expect([0, COUNT]).toContain(rows[0]);
      expect(rows[1]).toBe(rows[0]);
      // What is left is done by applying it again.
      const services = await servicesOn(database, {}, () => Date.now());
      const body = manyEntries(COUNT);
      expect((await call(services, planState, { body })).json.changes).toHaveLength(COUNT - (rows[0] ?? 0));
      expect((await call(services, applyState, { body })).json.revision).toBe(COUNT);
      expect((await call(services, verifyAuditLog)).json).toMatchObject({ valid: true, records: COUNT });
    },
  );
});
