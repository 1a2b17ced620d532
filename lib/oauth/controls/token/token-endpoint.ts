import { type Comparison, compareTokens, wallOf } from '@/lib/oauth/assessment/comparison';
import { responseHeader, responseJson } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { type ControlVerdict, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { everyRefused, redeemInOrder, refusesRedemptions } from '@/lib/oauth/controls/patterns';

/** A grant type that no server has. Its answer shows what the server says of a grant that is off. */
export const INVENTED_GRANT = 'urn:sluice:invented-grant';

/**
 * Judges the answer to the password grant: the grant is off, it is on, or another error hides it. Where the error does
 * not decide, the same request for an invented grant does: no server has that one.
 */
async function passwordGrant(probe: Probe, client: TargetClient): Promise<ControlVerdict> {
  const ask = (label: string, grant_type: string) =>
    probe.tokenRequest(
      label,
      { grant_type, username: 'sluice-nobody', password: 'sluice-nobody', scope: probe.target.scope },
      { client },
    );
  const outcome = await ask(`Ask with a password as ${client.id}`, 'password');
  if (outcome.kind === 'issued') return failed(`A password got the client ${client.id} a token.`);
  if (outcome.error === 'unsupported_grant_type' || outcome.error === 'unauthorized_client') {
    return passed(`The server refused with ${outcome.error}.`);
  }
  const compared = compareTokens(outcome);
  if (compared.kind === 'undecided') return inconclusive(`Undecided: ${compared.why}.`);
  const code = { code: probe.randomText(), verifier: probe.randomText(), client };
  if (outcome.error === 'invalid_client') {
    const other = await probe.redeem('Another grant with the same credentials', code);
    return other.kind === 'refused' && other.error === 'invalid_grant'
      ? passed('The client is refused for this grant alone.')
      : inconclusive('The client is refused: is its authentication right?');
  }
  const invented = await ask('Ask in the same way for an invented grant', INVENTED_GRANT);
  const isAlike = invented.kind === 'refused' && invented.status === outcome.status && invented.error === outcome.error;
  if (isAlike && describes(invented) === describes(outcome))
    return passed('The server answers as it does to a grant that nobody has.');
  if (outcome.error === 'invalid_grant')
    return failed(`The server checked the password that the client ${client.id} sent.`);
  return inconclusive(
    `The server refused with ${outcome.error ?? outcome.status}, and an invented grant ${isAlike ? 'in other words' : 'differently'}.`,
  );
}

/** Returns the description of an error, without the name of the grant that was asked for. */
const describes = ({ exchange }: TokenOutcome): string =>
  String(responseJson(exchange).error_description ?? '').replaceAll(/password|urn:sluice:invented-grant/g, '');

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
    probe: (probe) => passwordGrant(probe, probe.client()),
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
    async probe(probe) {
      probe.otherClient();
      const verdicts: ControlVerdict[] = [];
      for (const client of probe.clients().filter((known) => known !== probe.target.client))
        verdicts.push(await passwordGrant(probe, client));
      return verdicts;
    },
    rule(verdicts) {
      const worst =
        verdicts.find(({ kind }) => kind === 'failed') ?? verdicts.find(({ kind }) => kind === 'inconclusive');
      return (
        worst ??
        passed(
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
    protectsFrom: 'Tokens stay in caches.',
    async probe(probe) {
      const { exchange } = await redeemInOrder(probe, await probe.code());
      return responseHeader(exchange, 'cache-control');
    },
    rule(header) {
      return /\bno-store\b/i.test(header ?? '')
        ? passed('Cache-Control: no-store was seen.')
        : failed('No Cache-Control: no-store was seen.');
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
    needs: [],
    protectsFrom: 'Codes and tokens end up in logs and caches.',
    async probe(probe) {
      // A clear 405 decides even without a code.
      const grant = probe.target.client === null ? null : await probe.code().catch(() => null);
      const client = grant?.client ?? probe.anyClient();
      const fields = {
        grant_type: 'authorization_code',
        code: grant?.code ?? 'an-invented-code',
        code_verifier: grant?.verifier ?? 'x'.repeat(43),
        redirect_uri: client.redirectUri,
      };
      const { exchange: got } = await probe.tokenRequest('Redeem a code by GET', fields, { client, byGet: true });
      const posted = await probe.tokenRequest('Redeem it by POST', fields, { client });
      return { got, posted, hadCode: grant !== null };
    },
    rule({ got, posted, hadCode }) {
      if ('access_token' in responseJson(got)) return failed('The server issued a token to a GET.');
      const wall = wallOf(got);
      if (wall !== null) return inconclusive(`Undecided: ${wall}.`);
      if (got.response.status === 405 || got.response.status === 404)
        return passed(`A GET is answered with ${got.response.status}.`);
      if (posted.kind === 'issued') return passed('The GET was refused; a POST of the same code was not.');
      return inconclusive(
        hadCode
          ? 'A POST of the same code is refused as well.'
          : 'Without a code only 405 or 404 would be a clear answer.',
      );
    },
  }),
  defineControl({
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
    async probe(probe) {
      const grant = await probe.code();
      const twice = await probe.redeem('The code twice', grant, {}, { twice: 'code' });
      if (twice.kind === 'refused' && (await probe.redeem('Redeem it correctly', grant)).kind === 'refused') {
        await redeemInOrder(probe, await probe.code());
      }
      return new Map<string, Comparison>([['code twice', compareTokens(twice)]]);
    },
    rule: everyRefused,
  }),
  refusesRedemptions({
    id: 'token-client-id-required',
    title: 'A token request names its client',
    wrong: 'A token request need not name its client',
    severity: 'medium',
    area: 'token',
    source: ['RFC 6749 4.1.3'],
    oauch: 'ClientIdRequiredTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A code is redeemed without a word about whose it is.',
    attempts: () => ({ 'no client_id': { credentials: { fields: {}, headers: {} } } }),
  }),
];
