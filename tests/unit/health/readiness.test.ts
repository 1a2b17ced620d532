import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHealth } from '@/lib/health/check-health';
import { liveness, readiness } from '@/lib/health/readiness';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

const request = () => new Request('http://sluice.test/readyz');
const monotonic = () => performance.now();
let file: MigratedDatabase;

beforeEach(async () => {
  file = await migratedDatabase();
});
afterEach(() => file[Symbol.dispose]());

function ready(change: { ping?: () => Promise<void>; down?: boolean; folder?: string; deadline?: number } = {}) {
  return readiness(request(), {
    isShuttingDown: () => change.down ?? false,
    check: () =>
      checkHealth({
        database: file.database,
        counters: { ping: change.ping ?? (async () => undefined) },
        migrationsFolder: change.folder ?? 'drizzle',
        monotonic,
        deadline: change.deadline ?? 60_000,
      }),
  });
}

async function failing(response: Response): Promise<string[]> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const body = (await response.json()) as { error: string; details: { path: string }[] };
  expect(body.error).toBe('service_unavailable');
  return body.details.map((detail) => detail.path);
}

describe('readyz', () => {
  it('is 200 when database, migrations and counter store work', async () => {
    const response = await ready();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const ok = { ok: true };
    expect(await response.json()).toEqual({
      status: 'ready',
      parts: { database: ok, migrations: ok, counter_store: ok },
    });
  });

  it('names a counter store that fails, and one that hangs', async () => {
    expect(await failing(await ready({ ping: () => Promise.reject(new Error('gone')) }))).toEqual(['counter_store']);
    expect(await failing(await ready({ ping: () => new Promise(() => undefined), deadline: 50 }))).toEqual([
      'counter_store',
    ]);
  });

  it('names a migration that is missing', async () => {
    await file.database.client.execute('delete from sluice_migrations');
    expect(await failing(await ready())).toEqual(['migrations']);
  });

  it('names a database that is lost', async () => {
    file.database.close();
    expect(await failing(await ready())).toEqual(['database', 'migrations']);
  });

  it('is 503 first when the process is told to stop', async () => {
    expect(await failing(await ready({ down: true }))).toEqual(['process']);
  });

  it('is 503 when the process could not start', async () => {
    const check = () => Promise.reject(new Error('configuration'));
    expect(await failing(await readiness(request(), { isShuttingDown: () => false, check }))).toEqual(['process']);
  });
});

it('healthz looks at nothing but the process', async () => {
  const response = liveness(request());
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
});
