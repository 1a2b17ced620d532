import { readAccessToken } from '@/lib/oauth/lab/access-token';
import { clientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import { type Grant, REFRESH_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME } from '@/lib/oauth/lab/grant';
import { answerJson, refuse, Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { hashSecret } from '@/lib/oauth/lab/tickets';

const FORGED = new Set<string | null>(['signature-verified', 'alg-none', 'alg-confusion', 'issuer-validated']);

/**
 * `POST /auth/revoke` (RFC 7009). Unknown tokens are answered like revoked ones (section 2.2). Revoking a refresh token
 * ends the access tokens that came of it (section 2.1).
 */
export const revokeToken = clientEndpoint(async ({ client, parameters, violations }, lab) => {
  parameters.check(violations);
  const token = parameters.get('token');
  if (token === undefined) violations.note(null, 'invalid_request', 'token is missing.');
  const found = token === undefined ? null : await findRevocable(token, lab);
  if (found !== null && client !== null && found.clientId !== client.id) {
    violations.note('revocation-client-bound', 'unauthorized_client', 'The token was issued to another client.');
  }
  if (violations.refusing.length > 0) return refuse(violations.refusing);
  const until = lab.now() + (found?.lifetime ?? 0) * 1000;
  for (const [id, control] of found?.ids ?? []) if (lab.controls[control]) await lab.state.revoke(id, control, until);
  return answerJson(200, {});
});

/** A token of the lab, and what its revocation ends in the name of which control. */
interface Revocable {
  clientId: string | null;
  ids: readonly (readonly [string, ControlSwitch])[];
  /** How long what is ended could have lived, in seconds. */
  lifetime: number;
}

/** The lab's own token behind the text; null for anything else. */
async function findRevocable(token: string, lab: Lab): Promise<Revocable | null> {
  const ticket = await lab.state.read('refresh', hashSecret(token));
  if (ticket !== null) {
    const { clientId, grantId }: Grant = JSON.parse(ticket.payload);
    return {
      clientId,
      ids: [
        [`refresh:${grantId}`, 'revocation-effective'],
        [`access:${grantId}`, 'revocation-cascade'],
      ],
      lifetime: REFRESH_TOKEN_LIFETIME + WEAK_ACCESS_TOKEN_LIFETIME,
    };
  }
  const violations = new Violations(lab.controls);
  const claims = await readAccessToken(token, violations, lab);
  if (claims === null || claims.jti === null || violations.all.some(({ control }) => FORGED.has(control))) return null;
  const ids = [[`jti:${claims.jti}`, 'revocation-effective']] as const;
  return { clientId: claims.client_id, ids, lifetime: WEAK_ACCESS_TOKEN_LIFETIME };
}
