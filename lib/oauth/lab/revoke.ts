import { readAccessToken } from '@/lib/oauth/lab/access-token';
import { authenticateClient } from '@/lib/oauth/lab/authenticate-client';
import type { Controls } from '@/lib/oauth/lab/controls';
import type { Grant } from '@/lib/oauth/lab/grant';
import { REFRESH_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME } from '@/lib/oauth/lab/issue-tokens';
import { readBody } from '@/lib/oauth/lab/parameters';
import { answerJson, markWeakened, refuse } from '@/lib/oauth/lab/respond';
import { hashSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import { applyControls, type Violation } from '@/lib/oauth/lab/violation';

const UNSIGNED = new Set(['signature-verified', 'alg-none', 'alg-confusion', 'issuer-validated']);
const FOREIGN: Violation = {
  control: 'revocation-client-bound',
  error: 'unauthorized_client',
  description: 'The token was issued to another client.',
};

/**
 * `POST /auth/revoke` (RFC 7009). Unknown tokens are answered like revoked ones (section 2.2). Revoking a refresh token
 * ends the access tokens that came of it (section 2.1).
 */
export async function revokeToken(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const body = await readBody(request);
  if (!body.ok) return refuse([body.violation]);
  const { client, violations } = authenticateClient(request, body.parameters, lab);
  violations.push(...body.parameters.violations());
  const token = body.parameters.get('token');
  if (token === undefined)
    violations.push({ control: null, error: 'invalid_request', description: 'token is missing.' });
  const found = token === undefined ? null : await findRevocable(token, lab);
  if (found !== null && client !== null && found.clientId !== client.id) violations.push(FOREIGN);
  const { refusing, waived } = applyControls(violations, controls);
  if (refusing.length > 0) return markWeakened(refuse(refusing), controls, waived);
  if (found !== null) await found.revoke(controls);
  return markWeakened(answerJson(200, {}), controls, waived);
}

interface Revocable {
  clientId: string | null;
  revoke(controls: Controls): Promise<void>;
}

/** The lab's own token behind the text; null for anything else. */
async function findRevocable(token: string, lab: LabServices): Promise<Revocable | null> {
  const now = lab.now();
  const ticket = await lab.state.read('refresh', hashSecret(token));
  if (ticket !== null) {
    const grant: Grant = JSON.parse(ticket.payload);
    const until = now + (REFRESH_TOKEN_LIFETIME + WEAK_ACCESS_TOKEN_LIFETIME) * 1000;
    return {
      clientId: grant.clientId,
      async revoke(controls) {
        if (controls['revocation-effective'])
          await lab.state.revoke(`refresh:${grant.grantId}`, 'revocation-effective', until);
        if (controls['revocation-cascade'])
          await lab.state.revoke(`access:${grant.grantId}`, 'revocation-cascade', until);
      },
    };
  }
  const { claims, violations } = await readAccessToken(token, lab);
  const tokenId = claims?.tokenId ?? null;
  const ours = !violations.some((violation) => violation.control !== null && UNSIGNED.has(violation.control));
  if (claims === null || tokenId === null || !ours) return null;
  return {
    clientId: claims.clientId,
    async revoke(controls) {
      const until = now + WEAK_ACCESS_TOKEN_LIFETIME * 1000;
      if (controls['revocation-effective']) await lab.state.revoke(`jti:${tokenId}`, 'revocation-effective', until);
    },
  };
}
