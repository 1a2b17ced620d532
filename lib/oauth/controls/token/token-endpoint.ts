import { compareTokens, explainWall } from '@/lib/oauth/assessment/comparison';
import { findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import { type ControlVerdict, createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { defineRedemptionControl, redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';

/** A grant type that no server has. Its answer shows what the server says of a grant that is off. */
export const INVENTED_GRANT = 'urn:sluice:invented-grant';

/** Fields of the redemption of a code that are sent twice. */
const REPEATABLE = ['code', 'client_id', 'redirect_uri', 'code_verifier', 'grant_type'];

/**
 * Judges the answer to the password grant: the grant is off, it is on, or another error hides it. If the error is
 * ambiguous, compares it with that of an invented grant.
 */
async function judgePasswordGrant(probe: Probe, client: TargetClient): Promise<ControlVerdict> {
  const ask = (label: string, grant_type: string) =>
    probe.sendTokenRequest(
      label,
      { grant_type, username: 'sluice-nobody', password: 'sluice-nobody', scope: probe.target.scope },
      { client },
    );
  const outcome = await redeemRefusably(probe, () => ask(`Ask with a password as ${client.id}`, 'password'));
  if (outcome.kind === 'issued') return createFailed(`A password got the client ${client.id} a token.`);
  const compared = compareTokens(outcome);
  if (compared.kind === 'undecided') return createInconclusive(`Undecided: ${compared.why}.`);
  // The same credentials must be right for the grant that the client has.
  const code = { code: probe.generateRandomText(), verifier: probe.generateRandomText(), client };
  const isOff = outcome.error === 'unsupported_grant_type' || outcome.error === 'unauthorized_client';
  if (isOff || outcome.error === 'invalid_client') {
    const other = await probe.redeem('Another grant with the same credentials', code);
    return (other.kind === 'refused' && other.error === 'invalid_grant') || (await canRedeemCode(probe, client))
      ? createPassed(`The server refused with ${outcome.error}, for this grant alone.`)
      : createInconclusive('The client is refused for other grants, too: is its authentication right?');
  }
  const invented = await ask('Ask in the same way for an invented grant', INVENTED_GRANT);
  const isAlike = invented.kind === 'refused' && invented.status === outcome.status && invented.error === outcome.error;
  if (isAlike && readComparableWords(invented) === readComparableWords(outcome))
    return (await canRedeemCode(probe, client))
      ? createPassed('The server answers as it does to an invented grant.')
      : createInconclusive('The server answers as it does to an invented grant, and no grant was seen to work.');
  if (outcome.error === 'invalid_grant' || isAboutPassword(outcome))
    return createFailed(
      `The server checked the password that the client ${client.id} sent, so anyone may guess passwords there.`,
    );
  return createInconclusive(
    `The server refused with ${outcome.error ?? outcome.status}, and an invented grant ${isAlike ? 'in other words' : 'differently'}.`,
  );
}

/** Returns whether the client redeems a code, as far as one can be had. */
const canRedeemCode = async (probe: Probe, client: TargetClient): Promise<boolean> =>
  (client === probe.target.client ? probe.getReservedTokens() : probe.runCodeFlow({}, { client })).then(
    () => true,
    () => false,
  );

/** Returns whether an error is about the user name or the password, and not about the client or the grant. */
function isAboutPassword(outcome: TokenOutcome): boolean {
  const said = readWords(outcome);
  const isDenied = /client|grant|flow|disabled|not (allowed|supported|enabled|permitted)|unsupported/i.test(said);
  return (
    !isDenied &&
    /user ?name|password|credentials/i.test(said) &&
    /\b(?:invalid|incorrect|wrong|bad|mismatch)/i.test(said)
  );
}

/**
 * Returns what a refusal says: its description, or else all of it. Words with digits are left out, which may differ each
 * time.
 */
const readWords = ({ exchange }: TokenOutcome): string => {
  const { error, error_description: description } = parseResponseJson(exchange);
  const said = typeof description === 'string' ? description : exchange.response.body.replace(String(error), '');
  return said.replaceAll(/[^\s"]*\d[^\s"]*/g, '');
};

/** The same without the name of the grant that was asked for. */
const readComparableWords = (outcome: TokenOutcome): string =>
  readWords(outcome).replaceAll(/password|urn:sluice:invented-grant/g, '');

/** Controls for the token endpoint itself (RFC 6749 section 3.2). */
export const TOKEN_ENDPOINT: readonly Control[] = [
  defineControl({
    id: 'no-password-grant',
    title: 'The password grant is disabled',
    wrong: 'The password grant is enabled',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 2.4'],
    oauch: 'IsPasswordFlowDisabledTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'Applications see the passwords of their users.',
    tries: { 'ask with a password': 'RFC 9700 2.4' },
    evidence: 'answer',
    probe: (probe) => judgePasswordGrant(probe, probe.requireClient()),
    rule: (verdict) => verdict,
  }),
  defineControl({
    id: 'password-grant-every-client',
    title: 'The password grant is disabled for every other client, too',
    wrong: 'The password grant is enabled for another client',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 2.4'],
    switchable: false,
    needs: ['second client'],
    protectsFrom: 'One client that was forgotten is enough to try passwords at.',
    tries: { 'ask with a password': 'RFC 9700 2.4' },
    evidence: 'answer',
    async probe(probe) {
      probe.requireOtherClient();
      const verdicts: ControlVerdict[] = [];
      for (const client of probe.listClients().filter((known) => known !== probe.target.client))
        verdicts.push(await judgePasswordGrant(probe, client));
      return verdicts;
    },
    rule(verdicts) {
      const worst =
        verdicts.find(({ kind }) => kind === 'failed') ?? verdicts.find(({ kind }) => kind === 'inconclusive');
      return (
        worst ??
        createPassed(
          verdicts.length === 1 ? 'The other client was refused.' : `${verdicts.length} other clients were refused.`,
        )
      );
    },
  }),
  defineControl({
    id: 'token-no-store',
    title: 'Token responses are not cached',
    wrong: 'Token responses may be cached',
    severity: 'low',
    area: 'token',
    source: ['RFC 6749 5.1'],
    oauch: 'HasCacheControlHeaderTest, HasPragmaHeaderTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone who can read a cache of a browser or proxy takes the tokens from it.',
    tries: {
      'redeem a code correctly': 'RFC 6749 5.1',
      'refresh correctly': 'RFC 6749 5.1',
      'ask for a token without a user': 'RFC 6749 5.1',
    },
    async probe(probe) {
      const { exchange } = await redeemCorrectly(probe, await probe.requestCode());
      const rotation = await probe.getReservedRotation();
      const answers = [exchange, ...(rotation === null ? [] : [rotation.exchange])];
      const client = probe.listClients().find(isConfidential);
      if (client !== undefined) {
        const fields = { grant_type: 'client_credentials' };
        const own = await probe.sendTokenRequest('Ask for a token without a user', fields, { client });
        if (own.kind === 'issued') answers.push(own.exchange);
      }
      return answers.map((answer) => findResponseHeader(answer, 'cache-control'));
    },
    rule(headers) {
      return headers.every((header) => /\bno-store\b/i.test(header ?? ''))
        ? createPassed('Cache-Control: no-store was seen.')
        : createFailed('No Cache-Control: no-store was seen.');
    },
  }),
  defineControl({
    id: 'token-post-only',
    title: 'The token endpoint refuses GET',
    wrong: 'The token endpoint answers GET',
    severity: 'medium',
    area: 'token',
    source: ['RFC 6749 3.2'],
    oauch: 'IsGetSupportedTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Codes and tokens end up in logs and caches.',
    tries: { 'redeem a code by GET': 'RFC 6749 3.2' },
    async probe(probe) {
      const { exchange } = await redeemRefusably(probe, async () =>
        probe.redeem('Redeem a code by GET', await probe.requestCode(), {}, { byGet: true }),
      );
      await redeemCorrectly(probe, await probe.requestCode());
      return exchange;
    },
    rule(got) {
      if ('access_token' in parseResponseJson(got)) return createFailed('The server issued a token to a GET.');
      const wall = got.failsAgain === true ? null : explainWall(got);
      return wall === null
        ? createPassed(`The GET was answered with ${got.response.status}; a POST was not refused.`)
        : createInconclusive(`Undecided: ${wall}.`);
    },
  }),
  defineRedemptionControl({
    id: 'token-duplicate-parameters',
    title: 'Repeated parameters of a token request are refused',
    wrong: 'Repeated parameters of a token request are accepted',
    severity: 'low',
    area: 'token',
    source: ['RFC 6749 3.2'],
    oauch: 'TokenSameParameterTwiceDisallowedTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Two parts of a system read different values from one request.',
    tries: Object.fromEntries(REPEATABLE.map((name) => [`${name} twice`, 'RFC 6749 3.2'])),
    attempts(probe) {
      const { method } = probe.requireClient().authentication;
      // Basic and certificates leave the client id out of the body.
      const names = REPEATABLE.filter((name) => name !== 'client_id' || method === 'none' || method === 'post');
      return Object.fromEntries(names.map((name) => [`${name} twice`, { twice: name }]));
    },
  }),
  defineRedemptionControl({
    id: 'token-client-id-required',
    title: 'A token request names its client',
    wrong: 'A token request need not name its client',
    severity: 'medium',
    area: 'token',
    source: ['RFC 6749 4.1.3'],
    oauch: 'ClientIdRequiredTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'An attacker redeems a code without naming the client that it belongs to.',
    tries: { 'no client_id': 'RFC 6749 4.1.3' },
    attempts: () => ({ 'no client_id': { credentials: { fields: {}, headers: {} } } }),
  }),
];
