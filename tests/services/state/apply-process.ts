import { setTimeout as wait } from 'node:timers/promises';
import { applyState } from '@/lib/admin/state/apply';
import { StateDocumentSchema } from '@/lib/contract/state';
import { openDatabase } from '@/lib/db/open-database';
import { createSystemContext } from '@/lib/operation/context';
import { manyEntries } from '@/tests/fixtures/many-entries';
import { servicesOn } from '@/tests/fixtures/services';

/** A process that applies a document of so many entries to a database, and says so beforehand. */
const [path = '', count = '0'] = process.argv.slice(2);
const database = openDatabase({
  url: `file:${path}`,
  monotonic: () => performance.now(),
  wait: (milliseconds) => wait(milliseconds),
  random: Math.random,
});
const services = await servicesOn(database, {}, () => Date.now());
const body = StateDocumentSchema.parse(manyEntries(Number(count)));
process.send?.('applying');
await applyState.run(createSystemContext(services), { params: {}, query: {}, body });
process.send?.('applied');
process.disconnect();
