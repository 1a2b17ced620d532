import { expect, it, onTestFinished } from 'vitest';
import { createKeyOn, someone } from '@/tests/fixtures/product-suite';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { startProject } from '@/tests/world/vercel/deployment';

/** Functions to kill before the test ends. */
const KILLS = 12;
const LIMIT = 10;

it.skipIf(partsAreMissing('long/vercel', 'sqld', 'redis'))(
  'functions that are frozen and killed at random lose no decision, change or statistic',
  async () => {
    const project = await startProject();
    onTestFinished(() => project.stop());
    const deployment = await project.deploy({ instances: 4, kills: () => Math.random() < 0.05 });
    const { admin, functions } = deployment;
    const callers = Array.from({ length: 6 }, () => ({ ip: someone(), allowed: 0, asked: 0 }));
    const keys: string[] = [];
    let decisions = 0;
    const work = async () => {
      while (functions.killed < KILLS) {
        const caller = callers[Math.floor(Math.random() * callers.length)];
        if (caller === undefined) continue;
        if (Math.random() < 0.1) keys.push((await createKeyOn(deployment, {})).id);
        // A window of an hour, so that the sum of all windows is the limit.
        const question = { class: 'auth', ip: caller.ip };
        const response = await admin('POST', '/v1/check', question);
        expect(response.status).toBe(200);
        const { allowed, status } = (await response.json()) as { allowed: boolean; status?: string };
        expect(status).not.toBe('degraded');
        decisions += 1;
        caller.asked += 1;
        if (allowed) caller.allowed += 1;
      }
    };
    const window = { classes: { auth: { ip: { limit: LIMIT, window_seconds: 3_600 } } } };
    expect((await admin('PATCH', '/v1/admin/policies', window)).status).toBe(200);
    await Promise.all(Array.from({ length: 3 }, work));
    await functions.idle();
    for (const { allowed, asked } of callers) expect(allowed).toBe(Math.min(asked, LIMIT));
    expect(await (await admin('GET', '/v1/admin/audit/verify')).json()).toMatchObject({ valid: true });
    const database = project.sqld.open();
    const stored = await database.client.execute('select id from api_keys');
    const ids = new Set(stored.rows.map((row) => row[0]));
    expect(keys.filter((id) => !ids.has(id))).toEqual([]);
    const { rows } = await database.client.execute('select sum(count) from rollups where step = 60');
    expect(Number(rows[0]?.[0])).toBe(decisions);
    database.close();
    expect(functions.output).not.toMatch(/"level":"error"|waitUntil:/);
  },
);
