import { CannotProbe, failed, inconclusive, passedIf } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { unguessable } from '@/lib/oauth/controls/guessing-space';
import { refusesRequests, worksOnce } from '@/lib/oauth/controls/patterns';

/** The longest lifetime of a code (RFC 6749 section 4.1.2), in seconds. */
const LONGEST_LIFETIME = 600;

/** Authorization codes (RFC 6749 sections 4.1.2 and 4.1.3). */
export const CODES = controlsIn('code', [
  worksOnce('code-single-use', 'critical', 'A code works once', {
    source: ['RFC 6749 4.1.2', 'OAuch MultipleCodeExchangesTest'],
    protectsFrom: 'A code from a log or a history is redeemed again.',
    async uses(probe) {
      const given = await probe.code();
      return [await probe.redeem('Redeem the code', given), await probe.redeem('Redeem it again', given)];
    },
    never: 'The code could not be redeemed at all.',
    twice: 'The code worked twice.',
    once: 'The second redemption was refused.',
  }),
  defineControl('code-reuse-revokes', 'medium', 'Reuse of a code revokes what was issued', {
    source: ['RFC 6749 4.1.2', 'RFC 6749 10.5', 'OAuch TokenValidAfterMultiExchangeTest'],
    protectsFrom: 'A thief who redeems first keeps the tokens of the stolen code.',
    async probe(probe) {
      const given = await probe.code();
      const first = await probe.redeem('Redeem the code', given);
      if (first.kind !== 'issued') throw new CannotProbe('inconclusive', 'The code could not be redeemed at all.');
      const { accessToken } = first.tokens;
      const before = await probe.presentToken('Use the token', accessToken);
      if (before.kind !== 'opened') {
        throw new CannotProbe('inconclusive', 'The resource refuses the token from the start.');
      }
      await probe.redeem('Redeem the code again', given);
      return probe.presentToken('Use the first token again', accessToken);
    },
    rule: ({ kind }) => passedIf(kind !== 'opened', 'The first token no longer works.', 'The first token still works.'),
  }),
  defineControl('code-race', 'high', 'Parallel redemptions give one token', {
    source: ['RFC 6749 4.1.2', 'OAuch MultiFastACExchangeTest'],
    protectsFrom: 'Two simultaneous requests both pass the check that a code is unused.',
    async probe(probe) {
      const reused = await probe.code();
      await probe.redeem('Redeem a code', reused);
      const second = await probe.redeem('Redeem it again, sequentially', reused);
      if (second.kind === 'issued') {
        throw new CannotProbe('not_applicable', 'Codes can be reused at any time here: see code-single-use.');
      }
      const given = await probe.code();
      const race = Array.from({ length: 20 }, () => probe.redeem('Redeem in parallel', given));
      return (await Promise.all(race)).filter((outcome) => outcome.kind === 'issued').length;
    },
    rule(issued) {
      if (issued === 0) return inconclusive('None of 20 redemptions succeeded.');
      return passedIf(issued === 1, 'One of 20 redemptions succeeded.', `${issued} of 20 redemptions succeeded.`);
    },
  }),
  refusesRequests('code-client-binding', 'critical', 'A code is bound to its client', {
    source: ['RFC 6749 4.1.3', 'OAuch IsCodeBoundToClientTest'],
    protectsFrom: 'A client redeems codes that were issued to another.',
    async requests(probe) {
      const client = probe.otherClient();
      const given = await probe.code();
      const outcome = await probe.redeem('Redeem the code as another client', given, {}, { client });
      return { 'redemption as another client': outcome };
    },
  }),
  refusesRequests('code-redirect-binding', 'high', 'A code is bound to the redirect URI', {
    source: ['RFC 6749 4.1.3', 'OAuch RedirectUriCheckedTest'],
    protectsFrom: "A code that was sent to the attacker's address is redeemed for the victim's session.",
    async requests(probe) {
      const fields = { redirect_uri: `${probe.target.client.redirectUri}/other` };
      const given = await probe.code();
      return { 'another redirect_uri': await probe.redeem('Redeem with another redirect_uri', given, fields) };
    },
  }),
  defineControl('code-lifetime', 'medium', 'A code lives for at most ten minutes, better one', {
    source: ['RFC 6749 4.1.2', 'OAuch AuthorizationCodeTimeoutTest'],
    protectsFrom: 'An attacker has more time to find and use a leaked code.',
    async probe(probe) {
      const given = await probe.code();
      const lifetime = Math.min(given.lifetime ?? LONGEST_LIFETIME, LONGEST_LIFETIME);
      probe.advance(lifetime + 1);
      const outcome = await probe.redeem(`Redeem the code ${lifetime + 1} seconds later`, given);
      return { stated: given.lifetime, outcome };
    },
    rule({ stated, outcome }) {
      if (stated !== null && stated > LONGEST_LIFETIME) {
        return failed(`The server states a lifetime of ${stated} seconds.`);
      }
      return passedIf(outcome.kind !== 'issued', 'The code had expired.', 'The code still worked.');
    },
  }),
  defineControl('code-entropy', 'high', 'Codes cannot be guessed', {
    source: ['RFC 6749 10.10', 'OAuch AuthorizationCodeEntropyMinReqTest'],
    protectsFrom: 'An attacker guesses the code of another user.',
    async probe(probe) {
      const given = await Promise.all(Array.from({ length: 64 }, () => probe.code()));
      return [{ values: given.map(({ code }) => code) }];
    },
    rule: unguessable,
  }),
]);
