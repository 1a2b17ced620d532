import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { bundle } from '@/bench/bundle.mjs';
import { allowlist, audit } from '@/drizzle/schema';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { call } from '@/tests/fixtures/call';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';
import { servicesOn } from '@/tests/fixtures/services';

const Said = z.object({ seq: z.number(), identifier: z.string() });
const ANSWERS = [3, 40];

it('what two processes with eight writers each have answered is there after kill -9, with its record', async () => {
  using file = await migratedDatabase();
  const script = await bundle('tests/services/changes/change-process.ts');
  const answered = new Map<number, string>();
  const writing = async (name: string, until: number) => {
    const child = fork(script, [file.path, name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let count = 0;
    child.on('message', (message) => {
      const { seq, identifier } = Said.parse(message);
      expect(answered.has(seq)).toBe(false);
      answered.set(seq, identifier);
      count += 1;
      if (count === until) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    expect(count).toBeGreaterThanOrEqual(until);
  };
  for (const until of ANSWERS) await Promise.all([writing(`a${until}`, until), writing(`b${until}`, until)]);

  const services = await servicesOn(file.reopen(), {}, () => Date.now());
  const { drizzle } = services.database;
  const records = await drizzle.select({ seq: audit.seq, target: audit.target }).from(audit).orderBy(audit.seq);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
  const targets = new Map(records.map(({ seq, target }) => [seq, target]));
  for (const [seq, identifier] of answered) expect(targets.get(seq)).toBe(identifier);
  const rows = await drizzle.select({ revision: allowlist.revision, identifier: allowlist.identifier }).from(allowlist);
  expect(new Map(rows.map(({ revision, identifier }) => [revision, identifier]))).toEqual(targets);
  expect((await call(services, verifyAuditLog)).json).toMatchObject({ valid: true, records: records.length });
});
