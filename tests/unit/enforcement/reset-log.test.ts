import { expect, it } from 'vitest';
import { audit } from '@/drizzle/schema';
import { ResetLog } from '@/lib/enforcement/reset-log';
import { buildCounterKey } from '@/lib/limiter/counter-key';
import { migratedDatabase } from '../../fixtures/migrated-database';

const RECORD = { at: 0, actor: 'system', actorName: 'system', previousHash: '', targetType: 'counters' };
const USERS = ['alice', 'bob', 'carol'];
const keyOf = (user: string) => buildCounterKey('user', user, 'read', { kind: 'sliding', seconds: 60 });

/** A reset of one user in each odd record. Every fifth of them is undone by the record after it. */
const isUndone = (seq: number) => seq % 10 === 1;
const userOf = (seq: number) => USERS[seq % 3] ?? '';

it('answers as the audit log does, however few resets it caches, in whatever order it is asked', async () => {
  using opened = await migratedDatabase();
  const { drizzle } = opened.database;
  const records = Array.from({ length: 60 }, (_, index) => {
    const seq = index + 1;
    const after = JSON.stringify({ type: 'user_id', identifier: userOf(seq) });
    const isReset = seq % 2 === 1;
    const undoes = !isReset && isUndone(seq - 1) ? seq - 1 : null;
    const action = isReset ? 'counters.reset' : undoes === null ? 'policies.update' : 'counters.reset.undo';
    return { ...RECORD, seq, hash: String(seq), action, target: userOf(seq), after, undoes };
  });
  await drizzle.insert(audit).values(records);
  const isCleared = (user: string, since: number, revision: number) =>
    records.some(
      ({ seq, action }) =>
        action === 'counters.reset' &&
        seq > since &&
        seq <= revision &&
        userOf(seq) === user &&
        !(isUndone(seq) && seq < revision),
    );
  for (const most of [2, 5, 1_000]) {
    const log = new ResetLog(opened.database, most);
    const rules = { revision: 0 };
    for (let turn = 0; turn < 200; turn += 1) {
      if (turn % 4 === 0) rules.revision = Math.min(60, rules.revision + (turn % 3));
      const since = (turn * 7) % (rules.revision + 1);
      let reads = 0;
      for (let reading = log.read(since, rules); reading !== null; reading = log.read(since, rules)) {
        await reading;
        reads += 1;
      }
      expect(reads).toBeLessThanOrEqual(3);
      for (const user of USERS)
        expect([most, turn, user, log.hasCleared(keyOf(user), since)]).toEqual([
          most,
          turn,
          user,
          isCleared(user, since, rules.revision),
        ]);
    }
  }
});
