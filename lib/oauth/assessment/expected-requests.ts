import { type AssessmentTarget, isConfidential } from '@/lib/oauth/assessment/target';
import type { ControlDescription, Need } from '@/lib/oauth/controls/control';

/** Controls that send far more requests than others: races, dozens of tokens, every endpoint. */
const MANY: Readonly<Record<string, number>> = {
  'code-race': 210,
  'refresh-race': 180,
  'token-entropy': 72,
  'client-certificate-header': 60,
  'alg-confusion': 90,
  'code-entropy': 32,
  'device-client-authentication': 25,
  'device-approval': 39,
  'dpop-proof': 40,
  'par-redirect-uri': 36,
  'client-assertion': 35,
  'markup-escaped': 130,
  'logout-redirect-uri': 38,
  'strict-redirect-uri': 28,
  'metadata-consistent': 20,
  'client-authentication': 16,
  'pkce-verified': 18,
  'refresh-authentication': 18,
  'refresh-invented': 14,
  'require-pkce': 12,
  'scope-limits': 52,
  'token-secret': 15,
  'logout-hint': 16,
  'alg-none': 22,
  'dpop-refresh-binding': 10,
  'code-invented': 9,
  'par-entropy': 9,
  'kid-unknown': 14,
  'no-open-redirect-on-error': 80,
  'response-type-code': 11,
  'signature-verified': 12,
  'forwarded-host': 42,
  'token-duplicate-parameters': 15,
  'token-required': 10,
  'no-token-in-query': 22,
  'user-consent': 25,
};

type Needing = Pick<ControlDescription, 'id' | 'needs'>;

/**
 * Estimates how many requests a control sends if it can be decided. The numbers were measured at servers that offer the
 * feature. Pages and nonces add further requests.
 */
export function estimateRequests({ id, needs }: Needing): number {
  return MANY[id] ?? (needs.includes('login') ? 4 : needs.includes('client') ? 3 : 1);
}

/** Lists the needs of controls that a target meets. */
export function listMetNeeds(target: AssessmentTarget): Set<Need> {
  const { client, otherClient, nativeClient, resource, capabilities, login } = target;
  const clients = [client, otherClient, nativeClient].filter((candidate) => candidate !== null);
  // Registration usually gives all three clients.
  const registers = target.registration !== null;
  const signsIn = login !== 'none' || capabilities.directAuthorization === true;
  const fulfilled: Record<Need, boolean> = {
    client: registers || client !== null,
    login: signsIn,
    'second client': registers || otherClient !== null,
    'confidential client': registers || clients.some(isConfidential),
    'client with a key': clients.some(({ authentication }) => authentication.method === 'private_key_jwt'),
    'client with a certificate': clients.some(({ certificate }) => certificate !== undefined),
    'native client': registers || nativeClient !== null,
    'several redirect URIs': target.severalRedirectUris === true,
    'post-logout redirect URI': registers || client?.postLogoutRedirectUri !== undefined,
    resource: resource !== null,
    'resource scope': resource !== null && resource.scope !== null,
    'server key': capabilities.forge !== undefined,
    patience: capabilities.advance !== undefined || target.patience > 0,
  };
  const needs = Object.keys(fulfilled) as Need[];
  return new Set(needs.filter((need) => fulfilled[need]));
}
