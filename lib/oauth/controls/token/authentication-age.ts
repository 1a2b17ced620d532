import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  CannotProbe,
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

/** An age that no sign-in of an assessment exceeds, in seconds. */
const LONG = '100000';
/** Seconds by which a sign-in must exceed `max_age` before its code is a failure. */
const TOLERANCE = 2;

/** What a code for a maximum age shows: no code, or the age of the sign-in in seconds. Null if no claim says it. */
type Answer = { kind: 'none' } | { kind: 'code'; age: number | null };

/** Controls for the time of the sign-in (OpenID Connect Core sections 2 and 3.1.2.1). */
export const AUTHENTICATION_AGE: readonly Control[] = [
  defineControl({
    id: 'max-age',
    title: 'max_age limits the age of a sign-in',
    wrong: 'max_age is ignored, or the ID token does not say when the person signed in',
    severity: 'medium',
    area: 'token',
    source: ['OpenID Connect Core 2', 'OpenID Connect Core 3.1.2.1', 'OpenID Connect Core 15.1'],
    switchable: false,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A client that asks for a fresh sign-in, such as before a payment, gets an old session.',
    tries: {
      'a long max_age': 'OpenID Connect Core 2',
      'max_age=1': 'OpenID Connect Core 3.1.2.1',
      'max_age=0': 'OpenID Connect Core 3.1.2.1',
    },
    async probe(probe) {
      if (!probe.target.scope.split(' ').includes('openid'))
        throw new CannotProbe('not_applicable', 'Only OpenID providers take max_age: the scope has no openid.');
      // A server that asks a person each time answers prompt=none with an error, at any age.
      const quiet = await ask(probe, 'A long max_age with prompt=none', { max_age: LONG, prompt: 'none' });
      const prompt = quiet.kind === 'code' ? 'none' : null;
      const long = quiet.kind === 'code' ? quiet : await askCorrectly(probe);
      const answers = new Map<string, Answer>();
      const { directAuthorization: signsIn = false, visit } = probe.target.capabilities;
      // Each visit would have the person sign in again.
      const isByPerson = visit !== undefined;
      const sessionAge = signsIn || isByPerson ? 0 : await waitForOldSession(probe, long.age);
      if (long.age !== null && !isByPerson)
        for (const max_age of ['1', '0']) {
          const label = `max_age=${max_age}`;
          answers.set(
            label,
            await ask(probe, `${label}${prompt === null ? '' : ' with prompt=none'}`, { max_age, prompt }),
          );
        }
      return { long: long.age, answers, signsIn, isByPerson, sessionAge };
    },
    rule({ long, answers, signsIn, isByPerson, sessionAge }): ControlVerdict {
      if (long === null) return createFailed('The ID token has no auth_time, although the request had max_age.');
      if (isByPerson)
        return createInconclusive('Whether an old sign-in is refused, only the cookie of a session shows.');
      const codes = [...answers].flatMap(([label, answer]) =>
        answer.kind === 'code' ? [{ label, age: answer.age }] : [],
      );
      for (const { label, age } of codes) {
        if (age === null) return createFailed(`${label} gave a code whose ID token has no auth_time.`);
        if (age > Number(label.slice('max_age='.length)) + TOLERANCE)
          return createFailed(`${label} gave a code for a sign-in of ${age} seconds before.`);
      }
      const [first] = codes;
      if (first !== undefined && sessionAge > 1 + TOLERANCE)
        return createFailed(`${first.label} gave a code for a session of ${Math.floor(sessionAge)} seconds or more.`);
      if (codes.length === 0) return createPassed('A long max_age gave a code with auth_time, a short one gave none.');
      if (signsIn) return createPassed('Each request signs the person in again, and auth_time says so.');
      return createInconclusive(
        'The sign-in is too recent for max_age to have expired, or the person signed in again.',
      );
    },
  }),
];

/**
 * Returns the age of the session at least, in seconds. One that gave a code is as old as that code, and no password has
 * been entered since. If the ID token says otherwise, waits until that age exceeds `max_age=1`. Zero if the server gives
 * everyone a code without a session.
 */
async function waitForOldSession(probe: Probe, stated: number | null): Promise<number> {
  if (stated === null || stated > TOLERANCE) return 0;
  const { askedAt } = await probe.getReservedCode();
  if ((await probe.authorize('A valid request, without a session', {}, { anonymous: true })).kind === 'granted')
    return 0;
  await probe.pause(Math.max(0, askedAt + 1 + TOLERANCE + 1 - probe.age()));
  return probe.age() - askedAt;
}

/** Asks for a code, and reads the age of the sign-in from its ID token, by the clock of the server. */
async function ask(probe: Probe, label: string, fields: Record<string, string | null>): Promise<Answer> {
  const outcome = await probe.authorize(label, fields);
  const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
  if (outcome.kind !== 'granted' || code === undefined) return { kind: 'none' };
  const redeemed = await probe.redeem('Redeem its code', { code, verifier: outcome.verifier });
  if (redeemed.kind !== 'issued') throw new CannotProbe('inconclusive', 'A correct redemption is refused.');
  return { kind: 'code', age: readAge(redeemed.tokens.idToken) };
}

const askCorrectly = async (probe: Probe): Promise<{ kind: 'code'; age: number | null }> => ({
  kind: 'code',
  age: readAge((await probe.runCodeFlow({ max_age: LONG })).idToken),
});

/** @throws CannotProbe not_applicable if there is no ID token */
function readAge(idToken: string | null): number | null {
  if (idToken === null) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
  const { iat, auth_time: at } = decodeClaims(idToken);
  return typeof iat === 'number' && typeof at === 'number' ? iat - at : null;
}
