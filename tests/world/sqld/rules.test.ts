import { setImmediate as turn } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import type { Services } from '@/lib/operation/services';
import { addressLimit, changeAddressLimit, decideRead } from '@/tests/fixtures/address-limit';
import { partsOf, writeChange } from '@/tests/fixtures/rule-history';
import { servicesOn } from '@/tests/fixtures/services';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';

describe.skipIf(sqldIsMissing('integration/sqld (rules)'))('rules on a libSQL server', () => {
  let server: SqldServer;
  const databases: Database[] = [];
  const open = () => {
    const database = server.open();
    databases.push(database);
    return database;
  };

  beforeAll(async () => {
    server = await SqldServer.start();
    await migrate(open(), 'drizzle', 0);
  });
  afterAll(async () => {
    for (const database of databases) database.close();
    await server?.stop();
  });

  it('are seen whole or not at all while somebody changes all of them again and again', async () => {
    const writer = open();
    const rules = new RulesCache(open(), pino({ level: 'silent' }), undefined);
    await writeChange(writer, 1);
    await rules.refresh();
    let writing = true;
    const written = (async () => {
      for (let seq = 2; seq <= 150; seq += 1) await writeChange(writer, seq);
      writing = false;
    })();
    const seen = new Set<number>();
    const watched = (async () => {
      for (; writing; await turn()) {
        const parts = new Set(partsOf(rules.current));
        if (parts.size !== 1) throw new Error(`Rules are mixed: ${partsOf(rules.current)}`);
        for (const part of parts) seen.add(part);
      }
    })();
    while (writing) await rules.refresh();
    await Promise.all([written, watched]);
    expect(seen.size).toBeGreaterThan(1);
    expect(partsOf(await rules.readFresh())).toEqual([150, 150, 150, 150, 150, 150]);
  });

  it('are those of the backup at the next decision, when the server was restored beneath the process', async () => {
    await open().client.executeMultiple(
      'delete from audit; delete from settings; delete from overrides; delete from allowlist; delete from api_keys',
    );
    const services = [await servicesOn(open(), {}, () => Date.now()), await servicesOn(open(), {}, () => Date.now())];
    const limit = async (on: Services) => {
      let decision = await decideRead(on);
      // A connection to the server that was stopped is noticed by the first call that uses it.
      for (let i = 0; i < 50 && decision.degraded; i += 1) decision = await decideRead(on);
      return addressLimit(decision);
    };
    const [first, second] = services as [Services, Services];
    await changeAddressLimit(first, 41);
    await server.kill();
    server.backUp();
    await server.start();
    for (const to of [42, 43, 44]) expect((await changeAddressLimit(first, to)).status).toBe(200);
    expect([await limit(first), await limit(second)]).toEqual([44, 44]);
    await server.kill();
    server.restore();
    await server.start();
    expect([await limit(first), await limit(second)]).toEqual([41, 41]);
    expect((await changeAddressLimit(second, 45)).status).toBe(200);
    expect([await limit(first), await limit(second)]).toEqual([45, 45]);
  });
});
