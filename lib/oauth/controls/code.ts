import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import { CannotProbe, failed, inconclusive, notApplicable, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { describeGuessing, isUnguessable, measureGuessing } from '@/lib/oauth/controls/guessing-space';
import { everyRefused, redeemInOrder, refusesRedemptions } from '@/lib/oauth/controls/patterns';
import { isJwt } from '@/lib/oauth/controls/token-parts';

/** The longest lifetime of a code (RFC 6749 section 4.1.2), in seconds. */
const LONGEST_LIFETIME = 600;
const RACERS = 20;

/** Controls for authorization codes (RFC 6749 sections 4.1.2 and 4.1.3). */
export const CODES: readonly Control[] = [
  defineControl({
    id: 'code-invented',
    title: 'An invented code is refused',
    wrong: 'An invented code is redeemed',
    severity: 'critical',
    area: 'code',
    source: ['RFC 6749 5.2'],
    switchable: false,
    needs: ['client'],
    protectsFrom: 'Anyone gets a token without having asked for a code.',
    async probe(probe) {
      const client = probe.client();
      const comparisons = new Map<string, Comparison>();
      for (const [label, code] of [
        ['a random code', probe.randomText()],
        ['garbage', 'garbage'],
      ] as const) {
        const grant = { code, verifier: probe.randomText(), lifetime: null, client };
        comparisons.set(label, compareTokens(await probe.redeem(`Redeem ${label}`, grant)));
      }
      // Any other error may concern the request. Then a real code must be redeemed in the same way.
      const isAboutCode = [...comparisons.values()].every(
        (found) => found.kind !== 'refused' || found.how === 'invalid_grant',
      );
      if (!isAboutCode) await probe.keptToken();
      return comparisons;
    },
    rule(comparisons) {
      const verdict = everyRefused(comparisons);
      const isClient = [...comparisons.values()].some(
        (comparison) => comparison.kind === 'refused' && comparison.how === 'invalid_client',
      );
      return verdict.kind === 'passed' && isClient
        ? inconclusive('The client is refused, not the code: is its authentication right?')
        : verdict;
    },
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
    async probe(probe) {
      const invented = {
        code: probe.randomText(),
        verifier: probe.randomText(),
        lifetime: null,
        client: probe.client(),
      };
      const anything = await probe.redeem('Redeem an invented code', invented);
      const grant = await probe.code();
      await redeemInOrder(probe, grant);
      return {
        anything: anything.kind === 'issued',
        again: compareTokens(await probe.redeem('Redeem it again', grant)),
      };
    },
    rule({ anything, again }) {
      if (again.kind === 'accepted') return failed('The code worked twice.');
      if (anything) return notApplicable('A broader control fails here: see code-invented.');
      return again.kind === 'refused'
        ? passed('The second redemption was refused.')
        : inconclusive(`Undecided: ${again.why}.`);
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
    async probe(probe) {
      const grant = await probe.code();
      const { tokens } = await redeemInOrder(probe, grant);
      const { accessToken, refreshToken } = tokens;
      const usable =
        probe.target.resource !== null && (await probe.presentToken('Use the token', accessToken)).accepted;
      if (!usable && refreshToken === null) {
        throw new CannotProbe('inconclusive', 'There is neither a refresh token nor a resource to try the tokens at.');
      }
      const again = await probe.redeem('Redeem the code again', grant);
      if (again.kind === 'issued')
        throw new CannotProbe('not_applicable', 'Codes can be reused here: see code-single-use.');
      const access = usable ? (await probe.presentToken('Use the first token again', accessToken)).accepted : null;
      const refresh =
        refreshToken === null ? null : (await probe.refresh('Use the refresh token', refreshToken)).kind === 'issued';
      return { access, refresh, selfContained: isJwt(accessToken) };
    },
    rule({ access, refresh, selfContained }) {
      if (refresh === true) return failed('The refresh token still works.');
      if (access === true && !selfContained) return failed('The access token still works.');
      if (refresh === false) {
        return passed(
          access === true
            ? 'The refresh token is dead; the access token is self-contained and lives until it expires.'
            : 'The tokens no longer work.',
        );
      }
      return access === true
        ? notApplicable('There is no refresh token, and the access token is self-contained: nothing can be revoked.')
        : passed('The access token no longer works.');
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
    async probe(probe) {
      const reused = await probe.code();
      await redeemInOrder(probe, reused);
      const second = await probe.redeem('Redeem it again, sequentially', reused);
      if (second.kind === 'issued') {
        throw new CannotProbe('not_applicable', 'Codes can be reused at any time here: see code-single-use.');
      }
      const grant = await probe.code();
      const race = Array.from({ length: RACERS }, () => probe.redeem('Redeem in parallel', grant));
      return (await Promise.all(race)).filter((outcome) => outcome.kind === 'issued').length;
    },
    rule(issued) {
      if (issued === 1) return passed(`One of ${RACERS} redemptions succeeded.`);
      return issued === 0
        ? inconclusive(`None of ${RACERS} redemptions succeeded.`)
        : failed(`${issued} of ${RACERS} redemptions succeeded.`);
    },
  }),
  refusesRedemptions({
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
    attempts: (probe) => ({ 'another client': { client: probe.otherClient() } }),
  }),
  refusesRedemptions({
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
    attempts: (probe) => ({
      'another redirect_uri': { fields: { redirect_uri: `${probe.client().redirectUri}/other` } },
    }),
  }),
  defineControl({
    id: 'code-lifetime',
    title: 'A code lives for at most ten minutes, better one',
    wrong: 'A code lives for more than ten minutes',
    severity: 'medium',
    area: 'code',
    source: ['RFC 6749 4.1.2'],
    oauch: 'AuthorizationCodeTimeoutTest',
    switchable: true,
    needs: ['client', 'login', 'patience'],
    cost: 'waits',
    protectsFrom: 'An attacker has more time to find and use a leaked code.',
    async probe(probe) {
      const { capabilities, patience } = probe.target;
      const kept = await probe.keptCode();
      const lifetime = Math.min(kept.grant.lifetime ?? LONGEST_LIFETIME, LONGEST_LIFETIME);
      if (capabilities.advance !== undefined) probe.advance(lifetime + 1);
      else await probe.waitUntil(Math.min(kept.askedAt + lifetime + 1, patience));
      const age = capabilities.advance === undefined ? probe.age() - kept.askedAt : lifetime + 1;
      const outcome = compareTokens(await probe.redeem(`Redeem the code after ${Math.floor(age)} seconds`, kept.grant));
      if (outcome.kind === 'refused') await redeemInOrder(probe, await probe.code());
      return { stated: kept.grant.lifetime ?? null, age: Math.floor(age), outcome };
    },
    rule({ stated, age, outcome }) {
      if (stated !== null && stated > LONGEST_LIFETIME)
        return failed(`The server states a lifetime of ${stated} s; the limit is ${LONGEST_LIFETIME} s.`);
      if (outcome.kind === 'refused') return passed(`After ${age} s the code had expired.`);
      if (outcome.kind === 'undecided') return inconclusive(`Undecided: ${outcome.why}.`);
      return age > LONGEST_LIFETIME || (stated !== null && age > stated)
        ? failed(`After ${age} s the code still worked.`)
        : inconclusive(`After ${age} s the code still worked; the limit is ${LONGEST_LIFETIME} s.`);
    },
  }),
  defineControl({
    id: 'code-entropy',
    title: 'Codes cannot be guessed',
    wrong: 'Codes can be guessed',
    severity: 'high',
    area: 'code',
    source: ['RFC 6749 10.10'],
    oauch: 'AuthorizationCodeEntropyMinReqTest',
    switchable: false,
    needs: ['client', 'login'],
    cost: 'waits',
    protectsFrom: 'An attacker guesses the code of another user.',
    async probe(probe) {
      // A visit needs a person's browser, so 64 visits are too many.
      const needed = probe.target.capabilities.visit === undefined ? 64 : 16;
      for (let seen = probe.collected('code').length; seen < needed; seen++) await probe.code();
      const codes = probe.collected('code');
      // The collection drops duplicates, so the count comes from the number of requests.
      return { ...measureGuessing(codes), count: Math.max(needed, codes.length) };
    },
    rule: (space) => (isUnguessable(space) ? passed : failed)(`${describeGuessing(space)}.`),
  }),
];
