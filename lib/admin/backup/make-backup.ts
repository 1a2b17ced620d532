import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type BackupNote,
  closeFile,
  countRowsByTable,
  openFile,
  type VerifiedBackup,
  verifyBackup,
  writeNote,
} from '@/lib/admin/backup/backup-file';
import { BackupRefused } from '@/lib/admin/backup/backup-refused';
import { copyTables } from '@/lib/admin/backup/copy-database';
import { nameDraft, removeDrafts } from '@/lib/admin/backup/drafts';
import { listAnchoredMonths } from '@/lib/admin/counter-store/anchored-months';
import { openSnapshot } from '@/lib/admin/counter-store/opened-snapshot';
import {
  type ActiveStore,
  type CounterPlace,
  describePlace,
  isSamePlace,
  readActiveStore,
  writeActiveStore,
} from '@/lib/counters/active-store';
import { type CounterSum, copySnapshot, sumSnapshot } from '@/lib/counters/transfer/counter-snapshot';
import { openFileSnapshot, settleFile } from '@/lib/counters/transfer/file-snapshot';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { readNewestRevision } from '@/lib/db/newest-revision';
import { OWNER_ONLY } from '@/lib/db/owner-only';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import type { Millis } from '@/lib/units';

export interface BackupOptions {
  /** The database with the newest schema. It may be in use. */
  database: Database;
  /** URL of the Redis with the counters, if they are in Redis. */
  redisUrl: string | undefined;
  /** Path of the backup. An existing file is replaced after the new one is verified. */
  file: string;
  /** Version of Sluice. */
  version: string;
  migrationsFolder: string;
  clock: () => Millis;
}

/**
 * Makes a backup: one SQLite file with everything, including the counters of any store.
 * The database is copied as of one time, and counters in Redis right after it. The file gets its name after it is
 * complete and verified.
 * @throws BackupRefused, StoreUnavailable, DatabaseUnavailable
 */
export async function makeBackup(options: BackupOptions): Promise<VerifiedBackup & { counters: CounterSum }> {
  const { database, file, migrationsFolder } = options;
  const active = await findActiveStore(options);
  const draft = nameDraft(file);
  try {
    closeSync(openSync(draft, 'wx', OWNER_ONLY));
    if (database.handle === null) await copyServer(database, draft, options);
    else await copyEmbedded(database, draft);
    const counters = await addCounters(draft, active, options);
    const verified = await verifyBackup(draft, migrationsFolder);
    flushToDisk(draft);
    renameSync(draft, file);
    flushToDisk(dirname(file));
    return { ...verified, counters };
  } finally {
    removeDrafts(draft);
  }
}

/** Finds the store of the counters. @throws BackupRefused if the settings name another store */
async function findActiveStore({ database, redisUrl }: BackupOptions): Promise<CounterPlace> {
  const configured = await openSnapshot(database, redisUrl === undefined ? database.kind : { redisUrl });
  configured.close();
  const active: ActiveStore = (await readActiveStore(database)) ?? configured.place;
  if (active.from !== undefined)
    throw new BackupRefused('The counters are being moved: finish that first, with `sluice counters move`.');
  if (active.store === 'redis' && !isSamePlace(active, configured.place))
    throw new BackupRefused(
      `The counters are in ${describePlace(active)}: set REDIS_URL to that, as the server has it.`,
    );
  return active;
}

/** Copies an embedded database in one read transaction, which blocks no writer. */
async function copyEmbedded({ handle }: Database, draft: string): Promise<void> {
  const copy = () => void handle?.exec(`vacuum into '${draft.replaceAll("'", "''")}'`);
  const end = performance.now() + 10_000;
  const wait = (milliseconds: Millis) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  await retryWhileBusy(copy, { wait, pause: () => 20, isLast: () => performance.now() > end });
}

/** Copies a server's database table by table, in one read transaction. */
async function copyServer({ client }: Database, draft: string, { migrationsFolder, clock }: BackupOptions) {
  const copy = openFile(draft);
  try {
    await migrate(copy, migrationsFolder, clock());
    copy.handle?.exec('pragma foreign_keys = off');
    const snapshot = await client.transaction('read');
    try {
      await copyTables(snapshot, copy.client);
    } finally {
      snapshot.close();
    }
  } finally {
    closeFile(copy);
  }
}

/** Converts the counters to the embedded format, and writes the metadata of the backup. */
async function addCounters(draft: string, active: CounterPlace, options: BackupOptions): Promise<CounterSum> {
  const { redisUrl, version, clock } = options;
  const copy = openFile(draft);
  try {
    const { handle } = copy;
    if (handle === null) throw new TypeError('A backup is a file.');
    const target = openFileSnapshot(copy.client);
    if (active.store !== 'embedded') {
      const at = active.store === 'redis' && redisUrl !== undefined ? { redisUrl } : ('remote' as const);
      const source = await openSnapshot(copy, at);
      await copySnapshot(source.snapshot, target).finally(() => source.close());
    }
    await settleFile(copy.client);
    const now = clock();
    await copy.client.execute('delete from counter_slots');
    await copy.client.execute("delete from settings where name = 'counter-store'");
    const place = { store: 'embedded' as const, address: null, id: null };
    await copy.batch([writeActiveStore(copy, place, { revision: 0, now })]);
    const head = await readNewestRevision(copy);
    const note: BackupNote = {
      ...{ format: 1, version },
      made_at: new Date(now).toISOString(),
      revision: head?.seq ?? 0,
      head: head?.hash ?? '0'.repeat(64),
      counters_from: describePlace(active),
      rows: countRowsByTable(handle),
    };
    writeNote(handle, note);
    return await sumSnapshot(target, await listAnchoredMonths(copy), now);
  } finally {
    closeFile(copy);
  }
}

/** Flushes a file, or the names in a directory, to the disk. */
export function flushToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
