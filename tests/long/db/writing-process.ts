import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDatabase } from '@/lib/db/open-database';

/** Commits a row after the other and says of each that it is committed; exits by itself after `last`, if that is not 0. */
const [path = '', last = '0'] = process.argv.slice(2);
const { handle } = openDatabase({
  url: `file:${path}`,
  monotonic: () => performance.now(),
  wait: async () => undefined,
  random: Math.random,
  checkpoints: {
    failed: (error) => {
      throw error;
    },
  },
});
handle?.exec('create table if not exists rows (id integer primary key, data blob)');
const insert = handle?.prepare('insert into rows (data) values (randomblob(500000))');
for (let row = 1; ; row += 1) {
  process.send?.(insert?.run().lastInsertRowid);
  if (row === Number(last)) process.exit(0);
  await nextTurn();
}
