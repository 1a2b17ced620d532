import { addAllowlistEntry } from '../lib/admin/allowlist/add';
import { createApiKey } from '../lib/admin/keys/create';
import { authServices } from '../tests/fixtures/auth-services';
import { decisionEvent } from '../tests/fixtures/decision-event';
import { formatThousands, table } from './rounds';

const ROWS = 2_000;
/** Refusals per second that the log keeps, from callers that it keeps individually. */
const PER_SECOND = 100;

/** Measures how much the database file grows per written row, indexes included. */
export async function run(): Promise<string> {
  using auth = await authServices();
  const { services, file } = auth;
  const { client } = file.database;
  const size = async (): Promise<number> => {
    const { rows } = await client.execute(
      'select (page_count - freelist_count) * page_size as bytes from pragma_page_count, pragma_freelist_count, pragma_page_size',
    );
    return Number(rows[0]?.bytes);
  };
  const grownBy = async (work: (index: number) => Promise<unknown>) => {
    const before = await size();
    for (let index = 0; index < ROWS; index += 1) await work(index);
    return ((await size()) - before) / ROWS;
  };
  const entry = (identifier: string, reason: string) =>
    addAllowlistEntry.run(auth.context(), {
      params: {},
      query: {},
      body: { type: 'user_id', identifier, reason, expires_at: null },
    });
  const create = (index: number) =>
    createApiKey.run(auth.context(), {
      params: {},
      query: {},
      body: { name: `key ${index}`, tier: 'free', client_type: 'public', overage_allowed: false, month_starts_on: 1 },
    });

  await entry('user-0', 'Partner');
  const audit = await grownBy((index) => entry('user-0', `Partner since contract ${index}`));
  const allowlist = await grownBy((index) => entry(`user-${index + 1}`, 'Partner of the summer campaign'));
  const keys = await grownBy(create);
  const decisions = await grownBy(async (index) => {
    const ip = `203.0.113.${index % 200}`;
    services.statistics.record(
      decisionEvent(services.clock(), {
        ...{ outcome: 'refused', reason: 'rate_limit_exceeded', subjectType: 'ip', identifier: ip, ip },
        requestId: `0198c0de-0000-7000-8000-${String(index).padStart(12, '0')}`,
      }),
    );
    if (index % PER_SECOND < PER_SECOND - 1) return;
    auth.pass(1_000);
    await services.statistics.flush();
  });
  const rows = [
    ['a change: its audit record', audit],
    ['an allowlist entry, with its audit record', allowlist],
    ['an API key, with its audit record', keys],
    ['a refusal in the decision log', decisions],
  ] as const;
  return table(
    ['one of', 'bytes in the file'],
    rows.map(([what, bytes]) => [what, formatThousands(bytes)]),
  );
}
