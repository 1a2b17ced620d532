import { eq, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { deliveries } from '@/drizzle/alerts-schema';
import { audit, secondFactors } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { claimDue } from '@/lib/admin/webhooks/queue';
import { findSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import { createDecisionHandler } from '@/lib/enforcement/decision-api/answer-decision-call';
import type { MemberId } from '@/lib/ids';
import type { Operation } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { call } from '../fixtures/call';
import { type FilledDatabase, fillDatabase, type Line, READS, read, UNREADABLE } from '../fixtures/filled-database';
import { damagesOf, idAt, TABLES } from '../fixtures/filled-tables';
import { migratedDatabase } from '../fixtures/migrated-database';
import { TEST_ADMIN_TOKEN, TEST_START } from '../fixtures/services';

/** A file with two rows in every table. */
async function filled(): Promise<FilledDatabase & Disposable> {
  const file = await migratedDatabase();
  return { ...(await fillDatabase(file.database)), [Symbol.dispose]: () => file[Symbol.dispose]() };
}

const takes = (operation: Operation, name: string) =>
  name in ((operation.query as { shape?: object } | undefined)?.shape ?? {});

/** Follows the pages of a list to their end. */
async function readPages(services: Services, operation: Operation): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let query = 'limit=1'; ; ) {
    const { status, headers, json } = await read(services, operation, query);
    expect(status, operation.id).toBe(200);
    items.push(...json);
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (next === undefined) return items;
    query = new URL(next, 'http://sluice.test').search;
  }
}

const idsIn = (items: unknown): string[] =>
  Array.isArray(items) ? items.flatMap((item) => (typeof item?.id === 'string' ? item.id : [])) : [];

/** Decides a request, and makes a change that the next decision obeys. */
async function expectWork(services: Services): Promise<void> {
  const check = () => checkUser(services);
  expect(await check()).toMatchObject({ allowed: true, remaining: 4_999 });
  const body = { type: 'user_id', identifier: 'a user', reason: 'test' };
  const added = await call(services, addAllowlistEntry, { body });
  expect(added.status, added.text).toBe(200);
  expect(await check()).toMatchObject({ allowed: true, status: 'bypassed' });
}

async function checkUser(services: Services): Promise<{ allowed: boolean }> {
  const request = new Request('http://sluice.test/v1/check', {
    method: 'POST',
    headers: { 'X-Admin-Token': TEST_ADMIN_TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify({ class: 'read', user_id: 'a user' }),
  });
  return (await createDecisionHandler(async () => services)(request)).json();
}

const columnOf = (table: SQLiteTable, name: string) =>
  getTableConfig(table).columns.find((column) => column.name === name) as SQLiteColumn;

const shown = (lines: readonly Line[]) => lines.map(({ msg, err }) => `${msg} ${err?.stack}`);

describe('rows that cannot be read', () => {
  const ids = new Map<string, string[]>();

  it('are none without damage', async () => {
    using clean = await filled();
    const services = await clean.open();
    for (const operation of READS) {
      const { status, json } = await read(services, operation);
      expect(status, operation.id).toBeLessThan(500);
      ids.set(operation.id, idsIn(json));
    }
    await expectWork(services);
    expect(clean.lines).toEqual([]);
  });

  it.each([...TABLES])('stop nothing in %s', async (name, table) => {
    using place = await filled();
    const { lines } = place;
    let damaged = 0;
    for (const column of getTableConfig(table).columns)
      for (const damage of damagesOf(name, column))
        if (await place.write(name, 100 + damaged, { column: column.name, damage })) damaged += 1;
    expect(damaged).toBeGreaterThan(0);

    const services = await place.open();
    for (const operation of READS) {
      const { status, json, text } = await read(services, operation);
      expect([operation.id, status < 500, text]).toEqual([operation.id, true, text]);
      // All other rows are there, on whichever page.
      expect(idsIn(json), operation.id).toEqual(expect.arrayContaining(ids.get(operation.id) ?? []));
      if (takes(operation, 'format') && takes(operation, 'cursor'))
        expect((await read(services, operation, 'format=jsonl')).status).toBe(200);
      if (takes(operation, 'cursor') && Array.isArray(json) && json.length > 1)
        expect(await readPages(services, operation), operation.id).toHaveLength(json.length);
    }
    await expectWork(services);

    expect(shown(lines.filter(({ msg }) => msg !== UNREADABLE))).toEqual([]);
    const rows = lines.map(({ table: of, row }) => `${of} ${row}`);
    expect(rows).toEqual([...new Set(rows)]);
  });
});

const DOCUMENTS = ['policies', 'route-rules', 'incident', 'candidates', 'candidate-rules', 'alerts', 'sign-in'];

describe('a document that is damaged while Sluice runs', () => {
  it.each(DOCUMENTS)('%s stops nothing but what needs it', async (name) => {
    using place = await filled();
    const services = await place.open();
    for (const value of ['{', '5', '""', "x'ff'"]) {
      const damaged = value.startsWith('x') ? sql.raw(value) : sql`${value}`;
      await place.database.drizzle.run(sql`update settings set value = ${damaged} where name = ${name}`);
      for (const operation of READS) {
        const { status, json } = await read(services, operation);
        if (status < 500) continue;
        expect([operation.id, status, json.error_description]).toEqual([
          operation.id,
          503,
          `The row "${name}" of the table settings in the database cannot be read.`,
        ]);
        expect(operation.access).not.toBe('cron');
      }
    }
    expect((await checkUser(services)).allowed).toBe(true);
  });
});

it.each(damagesOf('deliveries', columnOf(deliveries, 'log')))(
  'a delivery with the log %s holds up no other',
  async (damage) => {
    using place = await filled();
    const services = await place.open();
    const { drizzle } = place.database;
    await place.write('deliveries', 10, { column: 'log', damage });
    await place.write('alert_events', 10);
    await drizzle.update(deliveries).set({ state: 'pending', nextAt: 0, leaseUntil: 0, subject: 'one' });
    const claim = { channel: idAt(0), now: TEST_START, most: 10, lease: 'a lease' };
    const sent: number[] = [];
    for (let claimed = await claimDue(services.database, claim); ; claimed = await claimDue(services.database, claim)) {
      if (claimed.length === 0 && (await drizzle.$count(deliveries, sql`state = 'pending'`)) === 0) break;
      for (const { row } of claimed) {
        sent.push(row.seq);
        await drizzle.update(deliveries).set({ state: 'delivered' }).where(eq(deliveries.seq, row.seq));
      }
    }
    expect(sent).toEqual(expect.arrayContaining([1, 2]));
  },
);

it('a change follows a record whose hash is damaged', async () => {
  using place = await filled();
  const services = await place.open();
  for (const damage of damagesOf('audit', columnOf(audit, 'hash'))) {
    await place.database.drizzle.run(
      sql`update audit set hash = ${sql.raw(damage)} where seq = (select max(seq) from audit)`,
    );
    const body = { type: 'user_id', identifier: `user ${damage}`, reason: 'test' };
    expect((await call(services, addAllowlistEntry, { body })).status).toBe(200);
    expect((await call(services, verifyAuditLog)).json).toMatchObject({ valid: false });
  }
});

it('a second factor that cannot be read lets nobody in', async () => {
  using place = await filled();
  const services = await place.open();
  const { columns } = getTableConfig(secondFactors);
  for (const column of columns.filter(({ primary }) => !primary))
    for (const damage of damagesOf('second_factors', column)) {
      // Any whole number can be a time.
      if (damage === '9e15' || !(await place.write('second_factors', 0, { column: column.name, damage }))) continue;
      await expect(findSecondFactor(services.database, idAt(0) as MemberId)).rejects.toThrow('cannot be read');
    }
});
