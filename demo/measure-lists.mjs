import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { readArguments } from '../server/read-arguments.mjs';
import { launchBrowser, settled, signedIn } from './browser.mjs';
import { startDemo } from './start-demo.mjs';

readArguments({
  usage: 'npm run measure:lists --',
  summary:
    'Measures how long a browser opens, sorts and searches lists of 100,000 rows (or ROWS). Prints a table in Markdown.',
});
const PORT = Number(process.env.PORT || 3190);
const ROWS = Number(process.env.ROWS || 100_000);
const ROUNDS = 3;

/** Tables that grow from one of their rows. What has to differ in each copy is made from `n`. */
const TABLES = {
  allowlist: { id: "printf('%08x-0000-4000-8000-000000000001', n)", type: "'user_id'", identifier: "'copy-' || n" },
  overrides: { id: "printf('%08x-0000-4000-8000-000000000002', n)", type: "'user_id'", identifier: "'copy-' || n" },
  api_keys: {
    id: "printf('%08x-0000-4000-8000-000000000003', n)",
    name: "'copy ' || n",
    secret_hash: "'copy ' || n",
    revoked_at: 'null',
  },
  admin_tokens: {
    id: "printf('%08x-0000-4000-8000-000000000004', n)",
    name: "'copy ' || n",
    token_hash: "'copy ' || n",
    revoked_at: 'null',
  },
  members: { id: "printf('%08x-0000-4000-8000-000000000005', n)", email: "'copy-' || n || '@demo.example'" },
  audit: { seq: '(select max(seq) from audit) + n' },
  decisions: { id: 'null', at: 'at - n' },
};

const LISTS = [
  { name: 'decisions', path: '/decisions?since=7d', search: 'q=203.0.113.66' },
  { name: 'overrides', path: '/limits/overrides', sort: 'sort=reason', search: 'q=copy-77777' },
  { name: 'allowlist', path: '/allowlist', sort: 'sort=reason', search: 'q=copy-77777' },
  { name: 'keys', path: '/keys', sort: 'sort=last_used_at', search: 'q=copy+77777' },
  { name: 'audit', path: '/audit', search: 'q=owner' },
  { name: 'tokens', path: '/settings?tab=tokens', sort: 'sort=last_used_at', search: 'q=copy+77777' },
  { name: 'members', path: '/settings?tab=members', sort: 'sort=role', search: 'q=copy-77777' },
];

const demo = await startDemo({ port: PORT, live: false });
const browser = await launchBrowser();
try {
  await grow(`file:${join(demo.directory, 'demo.db')}`);
  const storageState = await signedIn(browser, demo);
  const context = await browser.newContext({ baseURL: demo.origin, storageState });
  const page = await context.newPage();
  console.log('| list | open | sorted | searched |\n|---|---:|---:|---:|');
  for (const { name, path, sort, search } of LISTS) {
    const times = [];
    for (const query of [null, sort, search]) times.push(query === undefined ? '' : await timeOf(page, path, query));
    console.log(`| ${name} | ${times.join(' | ')} |`);
  }
} finally {
  await browser.close();
  await demo.stop();
}

/** Copies the newest row of each table until it has `ROWS`. */
async function grow(url) {
  const client = createClient({ url });
  try {
    await client.execute('pragma busy_timeout = 10000');
    for (const [table, made] of Object.entries(TABLES)) {
      const { rows } = await client.execute(`select name from pragma_table_info('${table}')`);
      const columns = rows.map(({ name }) => String(name));
      const values = columns.map((name) => made[name] ?? `"${name}"`).join(', ');
      await client.execute(
        `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
         insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')})
         select ${values} from (select * from ${table} order by rowid desc limit 1), numbers`,
      );
    }
  } finally {
    client.close();
  }
}

/** The median of some visits, until the rows are there. */
async function timeOf(page, path, query) {
  const address = query === null ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await settled(page);
    await page.getByRole('table').first().waitFor();
    times.push(performance.now() - begin);
  }
  return `${Math.round(times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0)} ms`;
}
