import { compareAccess, compareTokens, describeFault } from '@/lib/oauth/assessment/comparison';
import type { TokenOutcome, Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential } from '@/lib/oauth/assessment/target';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { attemptAsOthers } from '@/lib/oauth/controls/attempt-as-others';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { explainNoScope } from '@/lib/oauth/controls/has-server-scopes';
import { cutEnd, swapLetterCase } from '@/lib/oauth/controls/near-values';
import { createBroaderControlError, defineRefreshControl } from '@/lib/oauth/controls/patterns';
import { judgeRaces, RACES, repeatRace } from '@/lib/oauth/controls/race';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';
import { runNarrowFlow } from '@/lib/oauth/controls/run-narrow-flow';
import {
  replayEarlyToken,
  replayTokenBeforeLast,
  replayTokenOfNativeClient,
  rotateToken,
} from '@/lib/oauth/controls/token/token-rotation';
import { BAD_CREDENTIALS, createBadCredentials, isUnauthenticated } from '@/lib/oauth/controls/token/unauthenticated';
import { readScope } from '@/lib/oauth/controls/token-parts';
import { UNREGISTERED_SCOPE } from '@/lib/oauth/controls/unregistered-scope';

/** Returns the scopes that a response or its token names, or null. */
function readGranted(outcome: TokenOutcome): string[] | null {
  if (outcome.kind === 'refused') return null;
  return (outcome.tokens.scope ?? readScope(outcome.tokens.accessToken))?.split(' ') ?? null;
}

/** Counts the families that parallel refreshes left alive. */
async function countAlive(probe: Probe, issued: readonly Tokens[]): Promise<number> {
  const tokens = new Set(issued.flatMap(({ refreshToken }) => refreshToken ?? []));
  let alive = 0;
  for (const token of tokens) if ((await probe.refresh('Is this family alive?', token)).kind === 'issued') alive++;
  return alive;
}

/** Controls for rotation, reuse and binding of refresh tokens (RFC 9700 section 4.14, RFC 6749 section 6). */
export const REFRESH_TOKENS: readonly Control[] = [
  defineControl({
    id: 'refresh-rotation',
    title: 'A refresh token of a public client works once',
    wrong: 'A refresh token of a public client works again and again',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 2.2.2', 'RFC 9700 4.14.2'],
    oauch: 'UsesTokenRotationTest, RefreshTokenRevokedAfterUseTest',
    switchable: true,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A stolen refresh token works for as long as the legitimate one.',
    tries: {
      'refresh again with the same token': 'RFC 9700 4.14.2',
      'refresh again as the native client': 'RFC 8252 6',
      'refresh with the token before the last': 'RFC 9700 4.14.2',
      'refresh with a token that was rotated long before': 'RFC 9700 4.14.2',
    },
    async probe(probe) {
      if (isConfidential(probe.requireClient())) {
        throw new CannotProbe('not_applicable', 'The client is confidential: its refresh tokens need its credentials.');
      }
      const native = await replayTokenOfNativeClient(probe).catch(ignoreUndecided);
      const { refreshToken } = await probe.runCodeFlowWithRefresh();
      const first = await probe.refresh('Refresh', refreshToken);
      if (first.kind === 'refused') throw new CannotProbe('inconclusive', 'The refresh token did not work at all.');
      const replay = () => probe.refresh('Refresh again with the same token', refreshToken);
      const again = compareTokens(await redeemRefusably(probe, replay));
      const older = again.kind === 'refused' ? await replayTokenBeforeLast(probe) : null;
      return { again, native, older, oldest: older?.kind === 'refused' ? await replayEarlyToken(probe) : null };
    },
    rule({ again, native, older, oldest }) {
      if (again.kind === 'accepted') return createFailed('The refresh token worked twice.');
      if (native?.kind === 'accepted') return createFailed('The refresh token of the native client worked twice.');
      if (older?.kind === 'accepted') return createFailed('The refresh token before the last one worked again.');
      if (oldest?.kind === 'accepted')
        return createFailed('A refresh token worked again some time after its rotation.');
      if (again.kind === 'undecided') return createInconclusive(`Undecided: ${again.why}.`);
      return older?.kind === 'undecided'
        ? createInconclusive(`Undecided: ${older.why}.`)
        : createPassed('The second use was refused, also after another rotation.');
    },
  }),
  defineControl({
    id: 'refresh-reuse-revokes',
    title: 'Reuse of a refresh token ends its family',
    wrong: 'Reuse of a refresh token leaves its family alive',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 4.14.2'],
    oauch: 'InvalidatedRefreshTokenTest',
    switchable: true,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A thief keeps using the newest token after the theft was noticed.',
    tries: { 'use the newest token': 'RFC 9700 4.14.2' },
    async probe(probe) {
      const { old, newest } = await rotateToken(probe);
      const reuse = await probe.refresh('Use the old token again', old);
      if (reuse.kind === 'issued') {
        throw new CannotProbe('not_applicable', 'Old refresh tokens stay in use here: see refresh-rotation.');
      }
      return compareTokens(await redeemRefusably(probe, () => probe.refresh('Use the newest token', newest)));
    },
    rule(outcome) {
      if (outcome.kind === 'accepted') return createFailed('The newest token still works.');
      return outcome.kind === 'refused'
        ? createPassed('The newest token no longer works either.')
        : createInconclusive(`Undecided: ${outcome.why}.`);
    },
  }),
  defineControl({
    id: 'refresh-race',
    title: 'Parallel refreshes do not fork a family',
    wrong: 'Parallel refreshes fork a family',
    severity: 'medium',
    area: 'token',
    source: ['RFC 9700 4.14.2'],
    oauch: 'MultiFastRefreshTest, SingleFastRefreshTest',
    switchable: false,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'Thief and victim each get a token family of their own, unnoticed.',
    tries: { 'refresh in parallel': 'CVE-2026-53517' },
    async probe(probe) {
      const { old } = await rotateToken(probe);
      const again = await probe.refresh('Use the old token again', old);
      if (again.kind === 'issued')
        throw new CannotProbe('not_applicable', 'Old refresh tokens stay in use here: see refresh-rotation.');
      return repeatRace(probe, {
        races: RACES / 2,
        fault: describeFault(again),
        async start() {
          const { newest } = await rotateToken(probe);
          return () => probe.refresh('Refresh in parallel', newest);
        },
        countWinners: (issued) => countAlive(probe, issued),
      });
    },
    rule: judgeRaces('refreshes', 'started a family that lives'),
  }),
  defineRefreshControl({
    id: 'refresh-client-binding',
    title: 'A refresh token is bound to its client',
    wrong: 'A refresh token works for another client',
    severity: 'critical',
    area: 'token',
    source: ['RFC 6749 6'],
    oauch: 'IsRefreshBoundToClientTest',
    switchable: true,
    needs: ['client', 'login', 'second client'],
    cost: 'ends-grant',
    protectsFrom: 'A client uses refresh tokens that were issued to another.',
    tries: {
      'another client': 'RFC 6749 6',
      'another client by Basic': 'RFC 6749 6',
      'a third client': 'RFC 6749 6',
      'the first client, a token of the other': 'RFC 6749 6',
    },
    attempts: attemptAsOthers,
    async more(probe) {
      const other = probe.requireOtherClient();
      const label = 'the first client, a token of the other';
      const outcome = await redeemRefusably(probe, async () => {
        const { refreshToken } = await probe.runCodeFlowWithRefresh({}, { client: other });
        return probe.refresh(`Refresh with ${label}`, refreshToken, {}, { client: probe.requireClient() });
      });
      const own = await probe.runCodeFlowWithRefresh({}, { client: other });
      const correct = await probe.refresh('Refresh correctly', own.refreshToken, {}, { client: other });
      if (correct.kind === 'refused') throw new CannotProbe('inconclusive', 'A correct refresh is refused, too.');
      return { [label]: compareTokens(outcome) };
    },
  }),
  defineRefreshControl({
    id: 'refresh-invented',
    title: 'An invented refresh token is refused',
    wrong: 'What is no refresh token refreshes',
    severity: 'critical',
    area: 'token',
    source: ['RFC 6749 5.2', 'RFC 6749 6'],
    switchable: false,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'Anyone gets a token without a refresh token, or keeps access with a stolen access token.',
    tries: {
      'a random refresh token': 'RFC 6749 5.2',
      'an empty refresh token': 'RFC 6749 5.2',
      'a refresh token without its end': 'CVE-2026-27840',
      'a refresh token in another letter case': 'RFC 6749 10.10',
      'a refresh token in a query operator': 'RFC 6749 10.10',
      'an access token as the refresh token': 'RFC 6749 1.5',
    },
    attempts: (probe) => ({
      'a random refresh token': { spell: () => ({ refresh_token: probe.generateRandomText() }) },
      'an empty refresh token': { spell: () => ({ refresh_token: '' }) },
      'a refresh token without its end': {
        spell: ({ refreshToken }) => ({ refresh_token: cutEnd(refreshToken) }),
      },
      'a refresh token in another letter case': {
        spell: ({ refreshToken }) => {
          const otherCase = swapLetterCase(refreshToken);
          return otherCase === refreshToken ? null : { refresh_token: otherCase };
        },
      },
      'a refresh token in a query operator': {
        spell: ({ refreshToken }) => ({ refresh_token: null, 'refresh_token[$eq]': refreshToken }),
      },
      'an access token as the refresh token': {
        spell: ({ accessToken, refreshToken }) =>
          accessToken === refreshToken ? null : { refresh_token: accessToken },
      },
    }),
  }),
  defineRefreshControl({
    id: 'refresh-authentication',
    title: 'A confidential client authenticates to refresh',
    wrong: 'A confidential client need not authenticate to refresh',
    severity: 'critical',
    area: 'token',
    source: ['RFC 6749 6', 'RFC 6749 10.4'],
    oauch: 'IsRefreshAuthenticationRequiredTest',
    switchable: false,
    needs: ['confidential client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A stolen refresh token is enough to get new access tokens for ever.',
    tries: { ...BAD_CREDENTIALS, 'no credentials': 'CVE-2026-53512', 'wrong credentials': 'RFC 6749 6' },
    client: (probe) => probe.requireConfidentialClient(),
    async attempts(probe) {
      const client = probe.requireConfidentialClient();
      if (await isUnauthenticated(probe, client)) throw createBroaderControlError('client-authentication');
      const bad = Object.entries(await createBadCredentials(probe, client));
      return Object.fromEntries(bad.map(([label, credentials]) => [label, { credentials }]));
    },
  }),
  defineControl({
    id: 'refresh-scope',
    title: 'Refreshing does not widen the scope',
    wrong: 'Refreshing widens the scope',
    severity: 'medium',
    area: 'token',
    source: ['RFC 6749 6'],
    switchable: false,
    needs: ['client', 'login', 'resource', 'resource scope'],
    protectsFrom: 'A client gains rights that the user did not grant.',
    tries: {
      'refresh with an invented scope': 'RFC 6749 6',
      'refresh with a wider scope': 'RFC 6749 6',
      'refresh a narrow token without a scope': 'RFC 6749 6',
    },
    evidence: 'token',
    async probe(probe) {
      const invented = { scope: `${probe.target.scope} ${UNREGISTERED_SCOPE}`.trim() };
      const { refreshToken: own } = await probe.runCodeFlowWithRefresh();
      const strange = await probe.refresh('Refresh with an invented scope', own, invented);
      if (readGranted(strange)?.includes(UNREGISTERED_SCOPE))
        return { compared: compareTokens(strange), granted: true };
      const wider = probe.target.resource?.scope ?? null;
      if (wider === null) throw await explainNoScope(probe, 'No scope is known that could be added.');
      const requestNarrow = () => runNarrowFlow(probe, wider, (fields) => probe.runCodeFlowWithRefresh(fields));
      const asIs = await requestNarrow();
      const same = await probe.refresh('Refresh a narrow token without a scope', asIs.refreshToken);
      if (readGranted(same)?.includes(wider)) return { compared: compareTokens(same), granted: true };
      const { refreshToken, accessToken: narrowToken, narrow } = await requestNarrow();
      const outcome = await probe.refresh('Refresh with a wider scope', refreshToken, { scope: `${narrow} ${wider}` });
      const compared = compareTokens(outcome);
      if (compared.kind === 'refused') {
        const correct = await probe.runCodeFlowWithRefresh({ scope: narrow });
        const good = await probe.refresh('Refresh correctly', correct.refreshToken);
        if (good.kind === 'refused') throw new CannotProbe('inconclusive', 'A correct refresh is refused, too.');
      }
      if (outcome.kind === 'refused') return { compared, granted: false };
      const named = readGranted(outcome);
      if (named !== null) return { compared, granted: named.includes(wider) };
      // An omitted scope proves nothing, so the resource decides, which must refuse the narrow token.
      const before = await probe.presentToken('Present the token of the narrow scope', narrowToken);
      if (before.accepted) throw createBroaderControlError('scope-enforced');
      const after = await probe.presentToken('Present the token of the refresh', outcome.tokens.accessToken);
      const seen = compareAccess(after);
      return seen.kind === 'undecided' ? { compared: seen, granted: false } : { compared, granted: after.accepted };
    },
    rule({ compared, granted }) {
      if (compared.kind === 'undecided') return createInconclusive(`Undecided: ${compared.why}.`);
      if (compared.kind === 'refused') return createPassed('The wider scope was refused.');
      return granted ? createFailed('The wider scope was granted.') : createPassed('The scope was not widened.');
    },
  }),
];
