import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertEvents, alerts, deliveries } from '@/drizzle/alerts-schema';
import { assessmentFindings, assessments } from '@/drizzle/assessment-schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { acceptFinding } from '@/lib/admin/assessments/accept';
import { packFindings } from '@/lib/admin/assessments/packed-findings';
import { setCandidateRules } from '@/lib/admin/candidates/rules/set';
import { setCandidate } from '@/lib/admin/candidates/set';
import { setIncident } from '@/lib/admin/incident/set';
import { inviteMember } from '@/lib/admin/members/invite';
import { createLimit } from '@/lib/admin/named-limits/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { confirmSecondFactor, startSecondFactor } from '@/lib/admin/session/second-factor';
import { applyState } from '@/lib/admin/state/apply';
import { OPERATIONS } from '@/lib/api/operations';
import { CONTRACTS } from '@/lib/contract/contracts';
import { hasDryRun } from '@/lib/contract/preview';
import type { Operation } from '@/lib/operation/operation';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { type CallOptions, call } from '@/tests/fixtures/call';
import { everything } from '@/tests/fixtures/everything';
import { type Ids, prepared, send } from '@/tests/fixtures/random-changes';
import { RedisServer, redisIsMissing } from '@/tests/fixtures/redis-server';
import { TEST_START, type TestServices, testServices } from '@/tests/fixtures/services';

const PASSWORD = 'correct horse battery staple';
const LATER = new Date(TEST_START + 7_200_000).toISOString();
const ENTRY = { type: 'ip', identifier: '203.0.113.7' };
const OVERRIDE = { ...ENTRY, class: 'read' };
const SUBJECT = { type: 'subject', identifier: 'acme', limit_name: 'exports' };
const LIMITED = { limit: 5, window_seconds: 60, reason: 'Crawler' };
const RULES = [{ method: 'GET', path: '/reports/*', class: 'sensitive', cost: 2 }];
const ASSESSMENT = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

/** An entry for each operation that takes a dry run, and is answered as its contract says. */
function callsOf(ids: Ids, made: Awaited<ReturnType<typeof madeIn>>): Record<string, CallOptions> {
  const key = { id: ids.keys[0] ?? '' };
  const quota = { api_key: key.id };
  const [member, webhook] = [{ id: ids.member }, { id: ids.webhook }];
  const { plain, started, confirmed } = made;
  return {
    addAllowlistEntry: { body: { ...ENTRY, reason: 'Office' } },
    removeAllowlistEntry: { body: ENTRY },
    putOverride: { body: { ...OVERRIDE, ...LIMITED } },
    removeOverride: { body: OVERRIDE },
    resetCounters: { body: { type: 'api_key', identifier: key.id, quota: true } },
    patchPolicies: { body: { classes: { auth: { ip: { limit: 20 } } } } },
    setCandidate: { body: { place: 'classes.read.ip', limit: 60, window_seconds: 60, reason: 'Enough?' } },
    removeCandidate: { body: { place: 'classes.auth.ip' } },
    promoteCandidate: { body: { place: 'classes.auth.ip' } },
    setCandidateRules: { body: { rules: [...RULES, ...RULES], reason: 'Needed?' } },
    removeCandidateRules: {},
    promoteCandidateRules: { body: {} },
    createLimit: { body: { name: 'sms', windows: [{ limit: 1, seconds: 30 }] } },
    updateLimit: { params: { name: 'exports' }, body: { unit: 'files' } },
    removeLimit: { params: { name: 'exports' } },
    replaceRouteRules: { body: RULES },
    setIncident: { body: { mode: 'factor', factor: 0.5, until: LATER, reason: 'Slow' } },
    endIncident: {},
    createApiKey: { body: { name: 'Another', tier: 'free' } },
    revokeApiKey: { params: key },
    rotateApiKey: { params: key, body: { grace_seconds: 60 } },
    updateApiKey: { params: key, body: { name: 'Renamed' } },
    changeTier: { params: quota, body: { tier: 'business' } },
    resetQuota: { params: quota, body: { reason: 'Dispute' } },
    addGrant: { body: { ...quota, requests: 5, until: LATER, reason: 'Migration' } },
    removeGrant: { body: { id: ids.grant } },
    applyState: { body: { version: 1, allowlist: [{ ...ENTRY, reason: 'Office' }] } },
    releaseFromState: { body: { kind: 'allowlist', id: 'ip 198.51.100.7' } },
    runBatch: { body: { operation: 'removeAllowlistEntry', items: [ENTRY, ENTRY] } },
    acknowledgeAlerts: { body: { object: 'ip:203.0.113.9' } },
    reopenAlerts: { body: { object: 'ip:203.0.113.9' } },
    putAlertSettings: { body: { quota_forecast: { days: 3 } } },
    createWebhook: { body: { name: 'Another', url: 'https://hooks.example.com/sluice' } },
    updateWebhook: { params: webhook, body: { enabled: false } },
    removeWebhook: { params: webhook },
    rotateWebhook: { params: webhook, body: {} },
    testWebhook: { params: webhook },
    replayDelivery: { params: { ...webhook, delivery: made.delivery } },
    undoChange: { params: { seq: made.undoable } },
    createToken: { body: { name: 'another', role: 'operator' } },
    revokeToken: { params: { id: ids.token } },
    inviteMember: { body: { email: 'new@example.com', role: 'viewer' } },
    updateMember: { params: member, body: { role: 'operator' } },
    updateNamedMember: { body: { email: 'ada@example.com', role: 'operator' } },
    removeMember: { params: member },
    removeNamedMember: { body: { email: 'ada@example.com' } },
    createInvitation: { params: member },
    endMemberSessions: { params: { id: plain.id } },
    resetSecondFactor: { params: { id: confirmed.id } },
    changeOwnPassword: { headers: plain.headers, body: { current_password: PASSWORD, new_password: `${PASSWORD}s` } },
    endOtherSessions: { headers: plain.headers },
    endOwnSession: { headers: plain.headers, params: { id: plain.session } },
    startSecondFactor: { headers: plain.headers, body: { password: PASSWORD } },
    confirmSecondFactor: { headers: started.headers, body: { code: started.code() } },
    turnOffSecondFactor: { headers: confirmed.headers, body: { password: PASSWORD, code: confirmed.code() } },
    renewRecoveryCodes: { headers: confirmed.headers, body: { password: PASSWORD, code: confirmed.code() } },
    putSignInSettings: { body: { second_factor: 'optional' } },
    removeAssessment: { params: { id: ASSESSMENT } },
    acceptFinding: { params: { id: ASSESSMENT, control: 'require-pkce' }, body: { reason: 'Until the migration' } },
    withdrawAcceptance: { params: { id: ASSESSMENT, control: 'pkce-s256' } },
  };
}

/** A signed-in owner, and how far the set-up of their second factor is. */
async function owner(test: TestServices, name: string, factor: 'none' | 'started' | 'confirmed') {
  const { services, clock } = test;
  const email = `${name}@example.com`;
  const { id } = (await call(services, inviteMember, { body: { email, role: 'owner', password: PASSWORD } })).json;
  const jar = new BrowserJar(services);
  expect((await jar.signIn(email, PASSWORD)).status).toBe(200);
  const headers = { Authorization: '', Cookie: jar.cookieHeader, Origin: 'http://sluice.test', Host: 'sluice.test' };
  const { rows } = await services.database.client.execute({
    sql: 'select id from sessions where member_id = ?',
    args: [id],
  });
  let secret = '';
  const code = () => new TOTP({ secret }).generate({ timestamp: clock.now });
  if (factor !== 'none')
    secret = (await call(services, startSecondFactor, { headers, body: { password: PASSWORD } })).json.secret;
  if (factor === 'confirmed')
    expect((await call(services, confirmSecondFactor, { headers, body: { code: code() } })).status).toBe(200);
  // A code works once.
  clock.advance(60_000);
  return { id: id as string, session: String(rows[0]?.id), headers, code };
}

/** What the calls need to find. */
async function madeIn(test: TestServices, { webhook }: Ids) {
  const { services } = test;
  const { drizzle } = services.database;
  const change = async (operation: Operation, body: unknown, params = {}) => {
    const answer = await call(services, operation, { params, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.headers.get('X-Audit-Seq') ?? '';
  };
  const plain = await owner(test, 'plain', 'none');
  const started = await owner(test, 'started', 'started');
  const confirmed = await owner(test, 'confirmed', 'confirmed');
  const undoable = await change(addAllowlistEntry, { ...ENTRY, reason: 'Office' });
  await change(putOverride, { ...OVERRIDE, ...LIMITED });
  await change(setCandidate, { place: 'classes.auth.ip', limit: 3, window_seconds: 60, reason: 'Enough?' });
  await change(setCandidateRules, { rules: RULES, reason: 'Costly' });
  await change(createLimit, {
    ...{ name: 'exports', windows: [{ limit: 99, seconds: 60 }] },
    in_flight: { limit: 2, lease_seconds: 60 },
  });
  await change(putOverride, { ...SUBJECT, in_flight: { limit: 1, lease_seconds: 60 }, reason: 'Fewer exports' });
  await change(setCandidate, { place: 'limits.exports', windows: [{ limit: 9, seconds: 60 }], reason: 'Enough?' });
  await change(setIncident, { mode: 'observe', until: LATER, reason: 'Quiet' });
  const managed = { type: 'ip', identifier: '198.51.100.7', reason: 'Document' };
  await change(applyState, { version: 1, allowlist: [{ ...ENTRY, reason: 'Office' }, managed] });
  const row = {
    ...{ id: ASSESSMENT, name: 'x', kind: 'server' as const, target: 'https://as.example.com', startedAt: 1 },
    ...{ startedBy: 'x', starter: 'x', build: '0', state: 'finished' as const, aliveAt: 0, durationMs: 0 },
    ...{ preflight: '[]', passed: 0, failed: 2, notApplicable: 0, inconclusive: 0, grade: null },
  };
  await drizzle.insert(assessments).values(row);
  const failed = (control: string) => ({ control, verdict: 'failed' as const, reason: 'x', exchanges: [] });
  const findings = await packFindings([failed('require-pkce'), failed('pkce-s256')]);
  await drizzle.insert(assessmentFindings).values({ assessment: ASSESSMENT, findings });
  await change(acceptFinding, { reason: 'Legacy' }, { id: ASSESSMENT, control: 'pkce-s256' });
  await drizzle.insert(alerts).values({
    ...{ id: 'alert', event: 'refusals.burst', subject: 'ip:203.0.113.9', openedAt: 1, seenAt: 1 },
    data: JSON.stringify({ summary: 'A burst', link: '/decisions' }),
  });
  await drizzle.insert(alertEvents).values({
    id: 'event',
    alert: null,
    type: 'webhook.test',
    at: 1,
    data: JSON.stringify({ summary: 'A test', link: '/settings' }),
  });
  const sent = { channel: webhook, event: 'event', subject: 'x', createdAt: 1, state: 'failed' as const };
  const [delivery] = await drizzle
    .insert(deliveries)
    .values({ ...sent, attempts: 1, nextAt: 1, leaseUntil: 1, log: '[]' })
    .returning();
  return { plain, started, confirmed, undoable, delivery: String(delivery?.seq) };
}

/** The same calls with a wrong password or code, which a dry run does not check: it would be a way to guess. */
const WRONG: Readonly<Record<string, unknown>> = {
  changeOwnPassword: { current_password: 'wrong', new_password: `${PASSWORD}s` },
  startSecondFactor: { password: 'wrong' },
  confirmSecondFactor: { code: '000000' },
  turnOffSecondFactor: { password: 'wrong', code: '000000' },
  renewRecoveryCodes: { password: PASSWORD, code: '000000' },
};
/** Bodies of another form for some operations. */
const ALSO: Readonly<Record<string, unknown>> = {
  putOverride: { ...SUBJECT, in_flight: { limit: 3, lease_seconds: 60 }, reason: 'More exports' },
  removeOverride: SUBJECT,
  setCandidate: { place: 'limits.exports', windows: [{ limit: 60, seconds: 60 }], reason: 'Enough?' },
  removeCandidate: { place: 'limits.exports' },
  promoteCandidate: { place: 'limits.exports' },
  resetCounters: SUBJECT,
  createLimit: { name: 'imports', in_flight: { limit: 2, lease_seconds: 60 } },
  runBatch: { operation: 'resetCounters', items: [ENTRY, SUBJECT] },
};
/** Written a second after a credential was used, whatever it was used for. */
const isUse = (table: string) => table === 'last_uses';

function suite(
  open: () => Promise<{ test: TestServices; counters: () => Promise<string>; close: () => Promise<void> }>,
) {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());

  it('changes no row and no counter, and foretells the success of each', async () => {
    const { test, counters } = opened;
    const { services, clock } = test;
    const ids = await prepared(services);
    await send(services, ids, 3);
    const calls = callsOf(ids, await madeIn(test, ids));
    const known = new Map(OPERATIONS.map((operation) => [operation.id, operation]));
    const asked = CONTRACTS.filter(hasDryRun);
    expect(asked.map(({ id }) => id).sort()).toEqual(Object.keys(calls).sort());
    const digest = async () => `${await everything(services, isUse)} ${await counters()}`;
    const readUses = async () => {
      await services.statistics.flush();
      // The callers are used by their dry runs.
      const sql = "select * from last_uses where subject not like 'member:%' and subject not like 'token:%'";
      return (await services.database.client.execute(sql)).rows;
    };
    const uses = await readUses();
    const first = await digest();
    const answers: [string, number, unknown][] = [];
    for (const { id } of asked) {
      const operation = known.get(id);
      if (operation === undefined) throw new Error(`Nothing carries out ${id}.`);
      clock.advance(1);
      const before = await digest();
      const query = { dry_run: 'true' };
      const { status, json } = await call(services, operation, {
        ...calls[id],
        query,
        headers: { ...calls[id]?.headers, 'idempotency-key': id },
      });
      answers.push([id, status, json?.status ?? json]);
      if (id in ALSO) expect((await call(services, operation, { body: ALSO[id], query })).status, id).toBe(200);
      for (let again = 0; again < 12 && id in WRONG; again += 1)
        expect((await call(services, operation, { ...calls[id], query, body: WRONG[id] })).status, id).toBe(200);
      expect((await digest()) === before, `${id} changed something`).toBe(true);
    }
    // What is only counted in memory until then is written, too.
    expect(await readUses()).toEqual(uses);
    expect((await digest()) === first, 'something was counted').toBe(true);
    expect(answers).toEqual(asked.map(({ id, response }) => [id, 200, response.status]));
  });
}

describe('a dry run of every operation that changes something', () => {
  suite(async () => {
    const test = await testServices();
    return { test, counters: async () => '', close: async () => test[Symbol.dispose]() };
  });
});

describe.skipIf(redisIsMissing('unit/admin/preview (every operation)'))('the same with counters in Redis', () => {
  suite(async () => {
    const server = await RedisServer.start();
    const test = await testServices({ REDIS_URL: server.url });
    const counters = async () => {
      const keys = (await server.admin.keys('*')).sort();
      const dumps = await Promise.all(keys.map((key) => server.admin.dumpBuffer(key)));
      return JSON.stringify(keys.map((key, index) => [key, dumps[index]?.toString('base64')]));
    };
    const close = async () => {
      await test.services.counters.close();
      test[Symbol.dispose]();
      await server.stop();
    };
    return { test, counters, close };
  });
});
