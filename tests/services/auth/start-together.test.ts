import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { audit, members } from '@/drizzle/schema';
import { AUTH_SECRET_FILE } from '@/lib/auth/auth-secret';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';

let script: string;

beforeAll(async () => {
  script = await bundle('tests/services/auth/start-process.ts');
});

interface Found {
  secret: string;
  owner: { email: string; password: string | null } | null;
}

describe('four processes that start together on an empty database', () => {
  it('make one owner and one secret', async () => {
    const children = Array.from({ length: 4 }, () => fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    onTestFinished(() => {
      for (const child of children) child.kill('SIGKILL');
    });
    await Promise.all(children.map((child) => once(child, 'message')));
    for (let round = 0; round < 5; round += 1) {
      using file = await migratedDatabase();
      const directory = dirname(file.path);
      const answers = children.map((child) => once(child, 'message'));
      for (const child of children) child.send(directory);
      const found = (await Promise.all(answers)).map(([message]) => message as Found);
      expect(found[0]?.secret).toMatch(/^[\w-]{43}$/);
      expect(new Set(found.map(({ secret }) => secret)).size).toBe(1);
      expect(readdirSync(directory).filter((name) => name.startsWith(AUTH_SECRET_FILE))).toEqual([AUTH_SECRET_FILE]);
      expect(found.filter(({ owner }) => owner !== null)).toHaveLength(1);
      expect(await file.database.drizzle.select().from(members)).toHaveLength(1);
      expect(await file.database.drizzle.select().from(audit)).toHaveLength(1);
    }
  });
});
