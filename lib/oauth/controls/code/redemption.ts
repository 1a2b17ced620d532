import { type Comparison, compareTokens, describeFault } from '@/lib/oauth/assessment/comparison';
import type { CodeGrant, Fields } from '@/lib/oauth/assessment/requests';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { attemptAsOthers } from '@/lib/oauth/controls/attempt-as-others';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { cutEnd, swapLetterCase } from '@/lib/oauth/controls/near-values';
import { defineRedemptionControl, redeemCorrectly, UNREGISTERED } from '@/lib/oauth/controls/patterns';
import { judgeRaces, RACES, repeatRace } from '@/lib/oauth/controls/race';
import { compareRefusableAccess, redeemRefusably } from '@/lib/oauth/controls/repeat-fault';
import { isJwt } from '@/lib/oauth/controls/token-parts';

/** Controls for the redemption of authorization codes (RFC 6749 sections 4.1.2 and 4.1.3). */
export const CODE_REDEMPTION: readonly Control[] = [
  defineControl({
    id: 'code-invented',
    title: 'An invented code is refused',
    wrong: 'An invented code is redeemed',
    severity: 'critical',
    area: 'code',
    source: ['RFC 6749 5.2'],
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone gets a token without having asked for a code.',
    tries: {
      'a random code': 'CVE-2026-4282',
      garbage: 'RFC 6749 5.2',
      'an empty code': 'RFC 6749 5.2',
      'a code without its end': 'CVE-2026-27840',
      'a code in another letter case': 'RFC 6749 10.10',
      'a code in a query operator': 'RFC 6749 10.10',
    },
    async probe(probe) {
      const client = probe.requireClient();
      const invented = { 'a random code': probe.generateRandomText(), garbage: 'garbage', 'an empty code': '' };
      const comparisons = new Map<string, Comparison>();
      const redeem = async (
        label: string,
        code: string,
        verifier = probe.generateRandomText(),
        fields: Fields = {},
      ) => {
        const send = () => probe.redeem(`Redeem ${label}`, { code, verifier, lifetime: null, client }, fields);
        comparisons.set(label, compareTokens(await redeemRefusably(probe, send)));
      };
      for (const [label, code] of Object.entries(invented)) await redeem(label, code);
      const accepted = [...comparisons.values()].some(({ kind }) => kind === 'accepted');
      if (accepted) return comparisons;
      const { code, verifier } = await probe.requestCode();
      const otherCase = swapLetterCase(code);
      await redeem('a code without its end', cutEnd(code), verifier);
      if (otherCase !== code) await redeem('a code in another letter case', otherCase, verifier);
      // A server that reads operators redeems any code with another one.
      await redeem('a code in a query operator', code, verifier, { code: null, 'code[$eq]': code });
      await probe.getReservedTokens();
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'code-single-use',
    title: 'A code works once',
    wrong: 'A code works twice',
    severity: 'critical',
    area: 'code',
    source: ['RFC 6749 4.1.2'],
    oauch: 'MultipleCodeExchangesTest',
    switchable: true,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A code from a log or a history is redeemed again.',
    tries: {
      'redeem it again': 'RFC 6749 4.1.2',
      'redeem it a third time': 'RFC 6749 4.1.2',
      'redeem it after its token was used': 'RFC 6749 10.5',
      'redeem the first code again, at the end': 'RFC 6749 10.5',
    },
    async probe(probe) {
      const invented = {
        code: probe.generateRandomText(),
        verifier: probe.generateRandomText(),
        lifetime: null,
        client: probe.requireClient(),
      };
      const anything = await probe.redeem('Redeem an invented code', invented);
      const grant = await probe.requestCode();
      await redeemCorrectly(probe, grant);
      const again = new Map<string, Comparison>();
      const redeemAgain = async (label: string, code: CodeGrant) =>
        again.set(label, compareTokens(await redeemRefusably(probe, () => probe.redeem(label, code))));
      await redeemAgain('Redeem it again', grant);
      await redeemAgain('Redeem it a third time', grant);
      const used = await probe.requestRefreshableCode();
      const { tokens } = await redeemCorrectly(probe, used);
      if (probe.target.resource !== null) await probe.presentToken('Use its token', tokens.accessToken);
      if (tokens.refreshToken !== null) await probe.refresh('Use its refresh token', tokens.refreshToken);
      await redeemAgain('Redeem it after its token was used', used);
      // A server may remember used codes for a short time only.
      const first = await probe.getReservedTokens();
      await redeemAgain('Redeem the first code again, at the end', first.grant);
      return { anything: anything.kind === 'issued', again };
    },
    rule({ anything, again }) {
      const kinds = [...again.values()];
      if (kinds.some(({ kind }) => kind === 'accepted')) return createFailed('The code worked twice.');
      if (anything) return createNotApplicable('A broader control fails here: see code-invented.');
      const undecided = kinds.find((compared) => compared.kind === 'undecided');
      return undecided === undefined
        ? createPassed('Every further redemption was refused.')
        : createInconclusive(`Undecided: ${undecided.why}.`);
    },
  }),
  defineControl({
    id: 'code-reuse-revokes',
    title: 'Reuse of a code revokes what was issued',
    wrong: 'Reuse of a code revokes nothing',
    severity: 'medium',
    area: 'code',
    source: ['RFC 6749 4.1.2', 'RFC 6749 10.5'],
    oauch: 'TokenValidAfterMultiExchangeTest, RefreshTokenValidAfterMultiExchangeTest',
    switchable: true,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A thief who redeems first keeps the tokens of the stolen code.',
    tries: { 'redeem the code again': 'RFC 6749 10.5' },
    async probe(probe) {
      const grant = await probe.requestRefreshableCode();
      const { tokens } = await redeemCorrectly(probe, grant);
      const { accessToken, refreshToken } = tokens;
      const usable =
        probe.target.resource !== null && (await probe.presentToken('Use the token', accessToken)).accepted;
      if (!usable && refreshToken === null) {
        throw new CannotProbe('inconclusive', 'There is neither a refresh token nor a resource to try the tokens at.');
      }
      const again = await probe.redeem('Redeem the code again', grant);
      if (again.kind === 'issued')
        throw new CannotProbe('not_applicable', 'Codes can be reused here: see code-single-use.');
      const used = usable ? await compareRefusableAccess(probe, 'Use the first token again', accessToken) : null;
      const refreshed =
        refreshToken === null
          ? null
          : compareTokens(await redeemRefusably(probe, () => probe.refresh('Use the refresh token', refreshToken)));
      for (const compared of [used, refreshed])
        if (compared?.kind === 'undecided') throw new CannotProbe('inconclusive', `Undecided: ${compared.why}.`);
      return {
        access: used === null ? null : used.kind === 'accepted',
        refresh: refreshed === null ? null : refreshed.kind === 'accepted',
        selfContained: isJwt(accessToken),
      };
    },
    rule({ access, refresh, selfContained }) {
      if (refresh === true) return createFailed('The refresh token still works.');
      if (access === true && !selfContained) return createFailed('The access token still works.');
      if (refresh === false) {
        return createPassed(
          access === true
            ? 'The refresh token is dead; the access token is self-contained and lives until it expires.'
            : 'The tokens no longer work.',
        );
      }
      return access === true
        ? createNotApplicable(
            'There is no refresh token, and the access token is self-contained: nothing can be revoked.',
          )
        : createPassed('The access token no longer works.');
    },
  }),
  defineControl({
    id: 'code-race',
    title: 'Parallel redemptions give one token',
    wrong: 'Parallel redemptions give several tokens',
    severity: 'high',
    area: 'code',
    source: ['RFC 6749 4.1.2'],
    oauch: 'MultiFastACExchangeTest, SingleFastACExchangeTest',
    switchable: false,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'Two simultaneous requests both pass the check that a code is unused.',
    tries: { 'redeem in parallel': 'CVE-2026-53518' },
    async probe(probe) {
      const reused = await probe.requestCode();
      await redeemCorrectly(probe, reused);
      const second = await probe.redeem('Redeem it again, sequentially', reused);
      if (second.kind === 'issued') {
        throw new CannotProbe('not_applicable', 'Codes can be reused at any time here: see code-single-use.');
      }
      return repeatRace(probe, {
        races: RACES,
        fault: describeFault(second),
        async start() {
          const grant = await probe.requestCode();
          return () => probe.redeem('Redeem in parallel', grant);
        },
        countWinners: async (issued) => issued.length,
      });
    },
    rule: judgeRaces('redemptions', 'succeeded'),
  }),
  defineRedemptionControl({
    id: 'code-client-binding',
    title: 'A code is bound to its client',
    wrong: 'A code works for another client',
    severity: 'critical',
    area: 'code',
    source: ['RFC 6749 4.1.3'],
    oauch: 'IsCodeBoundToClientTest',
    switchable: true,
    needs: ['client', 'login', 'second client'],
    protectsFrom: 'A client redeems codes that were issued to another.',
    tries: {
      'another client': 'RFC 6749 4.1.3',
      'another client by Basic': 'RFC 6749 4.1.3',
      'a third client': 'RFC 6749 4.1.3',
      'the first client, a code of the other': 'RFC 6749 4.1.3',
    },
    attempts: attemptAsOthers,
    async more(probe) {
      const other = probe.requireOtherClient();
      const label = 'the first client, a code of the other';
      const outcome = await redeemRefusably(probe, async () => {
        const grant = await probe.requestCode({}, { client: other });
        return probe.redeem(`Redeem with ${label}`, grant, {}, { client: probe.requireClient() });
      });
      const compared = compareTokens(outcome);
      if (compared.kind === 'refused') await redeemCorrectly(probe, await probe.requestCode({}, { client: other }));
      return { [label]: compared };
    },
  }),
  defineRedemptionControl({
    id: 'code-redirect-binding',
    title: 'A code is bound to the redirect URI',
    wrong: 'A code is not bound to the redirect URI',
    severity: 'high',
    area: 'code',
    source: ['RFC 6749 4.1.3'],
    oauch: 'RedirectUriCheckedTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: "A code that was sent to the attacker's address is redeemed for the victim's session.",
    tries: {
      'another redirect_uri': 'RFC 6749 4.1.3',
      'the redirect_uri at another host': 'RFC 6749 4.1.3',
      'the beginning of the redirect_uri': 'RFC 6749 4.1.3',
    },
    attempts: (probe) => {
      const { redirectUri } = probe.requireClient();
      return {
        'another redirect_uri': { fields: { redirect_uri: `${redirectUri}/other` } },
        'the redirect_uri at another host': { fields: { redirect_uri: UNREGISTERED } },
        'the beginning of the redirect_uri': { fields: { redirect_uri: redirectUri.slice(0, -1) } },
      };
    },
  }),
];
