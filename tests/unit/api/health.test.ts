import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHealth } from '@/lib/admin/service/check-health';
import { handleLiveness, handleReadiness } from '@/lib/api/health';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

const request = () => new Request('http://sluice.test/readyz');
const monotonic = () => performance.now();
let file: MigratedDatabase;

beforeEach(async () => {
  file = await migratedDatabase();
});
afterEach(() => file[Symbol.dispose]());

interface Change {
  ping?: () => Promise<void>;
  retryIn?: number;
  isInPlace?: () => boolean;
  down?: boolean;
  query?: string;
  deadline?: number;
  isCluster?: boolean;
}

function ready(change: Change = {}) {
  const { database } = file;
  return handleReadiness(new Request(`http://sluice.test/readyz${change.query ?? ''}`), {
    isStopping: () => change.down ?? false,
    check: () =>
      checkHealth({
        database: { ...database, isInPlace: change.isInPlace ?? database.isInPlace },
        counters: { ping: change.ping ?? (async () => undefined), isCluster: change.isCluster ?? false },
        breaker: { retryIn: change.retryIn ?? 0 },
        migrationsFolder: 'drizzle',
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

/** What is down in a 200 that says `degraded`, and that the same state is 503 to the strict. */
async function degraded(change: Change): Promise<string[]> {
  const response = await ready(change);
  expect(response.status).toBe(200);
  const body = (await response.json()) as { status: string; parts: Record<string, { ok: boolean }> };
  expect(body.status).toBe('degraded');
  const down = Object.keys(body.parts).filter((part) => !body.parts[part]?.ok);
  expect(await failing(await ready({ ...change, query: '?strict=true' }))).toEqual(down);
  return down;
}

describe('readyz', () => {
  it('is 200 when every part works, to the strict as well', async () => {
    const ok = { ok: true };
    for (const query of ['', '?strict=true', '?strict=false']) {
      const response = await ready({ query });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({
        status: 'ready',
        parts: { database: ok, database_file: ok, migrations: ok, counter_store: ok },
      });
    }
  });

  it('says that the counters are in a Redis Cluster', async () => {
    const { parts } = (await (await ready({ isCluster: true })).json()) as { parts: object };
    expect(parts).toMatchObject({ counter_store: { ok: true, cluster: true }, database: { ok: true } });
  });

  it('is degraded when the counters cannot be written, or do not answer', async () => {
    expect(await degraded({ ping: () => Promise.reject(new Error('gone')) })).toEqual(['counter_store']);
    expect(await degraded({ ping: () => new Promise(() => undefined), deadline: 50 })).toEqual(['counter_store']);
  });

  it('is degraded while the breaker asks the counters nothing', async () => {
    expect(await degraded({ retryIn: 4_000 })).toEqual(['counter_store']);
  });

  it('is degraded when a migration is missing', async () => {
    await file.database.client.execute('delete from sluice_migrations');
    expect(await degraded({})).toEqual(['migrations']);
  });

  it('is degraded when the database is lost: rules and counters go on without it', async () => {
    file.database.close();
    expect(await degraded({})).toEqual(['database', 'migrations']);
  });

  it('is 503 when the open file is not the one at its path', async () => {
    expect(await failing(await ready({ isInPlace: () => false }))).toEqual(['database_file']);
  });

  it('is 503 first when the process is told to stop', async () => {
    expect(await failing(await ready({ down: true }))).toEqual(['process']);
  });

  it('is 503 until the process has started and read its first rules', async () => {
    const check = () => Promise.reject(new Error('configuration'));
    expect(await failing(await handleReadiness(request(), { isStopping: () => false, check }))).toEqual(['process']);
  });
});

it('healthz looks at nothing but the process', async () => {
  const response = handleLiveness(request());
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
});
