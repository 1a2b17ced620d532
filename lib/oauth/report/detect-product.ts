import type { KeptFindings } from '@/lib/contract/assessment-events';
import { isJsonObject, type JsonObject, parseJson } from '@/lib/json';

type Exchange = KeptFindings[number]['exchanges'][number];

/** Signs of a product: its addresses, members of its metadata, its headers, or its cookies. */
interface Signs {
  product: string;
  /** Matches a host. */
  host?: RegExp;
  /** Matches the path of an endpoint. */
  path?: RegExp;
  /** Matches a member of the metadata. */
  member?: RegExp;
  /** Matches a response header, as `name: value`. */
  header?: RegExp;
}

/** Products by what only they show. The more specific comes first, because some build on others. */
const SIGNS: readonly Signs[] = [
  {
    product: 'Keycloak',
    path: /\/realms\/[^/]+\/protocol\/openid-connect\//,
    header: /^set-cookie: (?:KC_RESTART|AUTH_SESSION_ID|KC_AUTH_SESSION_HASH)=/,
  },
  { product: 'Auth0', host: /\.auth0\.com$/, header: /^(?:x-auth0-\w+:|set-cookie: auth0=)/ },
  {
    product: 'Microsoft Entra ID',
    host: /^(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$|\.ciamlogin\.com$|\.b2clogin\.com$/,
    header: /^x-ms-(?:request-id|ests-server):/,
  },
  { product: 'Okta', host: /\.okta(?:preview|-emea)?\.com$/, header: /^x-okta-request-id:/ },
  { product: 'Amazon Cognito', host: /\.amazoncognito\.com$|^cognito-idp\.[\w-]+\.amazonaws\.com$/ },
  {
    product: 'Ory Hydra',
    path: /^(?:\/\w+)*\/oauth2\/(?:auth|sessions\/logout)$/,
    member: /^credentials_(?:endpoint|supported)_draft_00$/,
    header: /^set-cookie: (?:ory_hydra_|oauth2_authentication_csrf)/,
  },
  {
    product: 'Duende IdentityServer',
    path: /\/connect\/(?:deviceauthorization|checksession|ciba)$/,
    header: /^set-cookie: (?:idsrv|\.AspNetCore\.Antiforgery\..*idsrv)/,
  },
  { product: 'Spring Authorization Server', path: /\/oauth2\/device_authorization$/ },
  {
    product: 'oidc-provider',
    header: /^set-cookie: _(?:interaction|session|grant)(?:\.legacy)?(?:\.sig)?=/,
    path: /\/(?:session\/end|token\/(?:introspection|revocation))$/,
  },
  { product: 'LemonLDAP::NG', header: /^set-cookie: lemonldap/, path: /^\/oauth2\/(?:authorize|checksession\.html)$/ },
];

/** Returns the product that the answers of a server show, or null. Two signs of one product outweigh one of another. */
export function detectProduct(exchanges: readonly Exchange[]): string | null {
  const addresses = new Set<string>();
  const members = new Set<string>();
  const headers = new Set<string>();
  for (const { request, response } of exchanges) {
    for (const [name, value] of response.headers) headers.add(`${name.toLowerCase()}: ${value}`);
    if (!request.url.includes('/.well-known/')) continue;
    for (const [member, value] of Object.entries(parseMetadata(response.body))) {
      members.add(member);
      if (typeof value === 'string' && URL.canParse(value)) addresses.add(value);
    }
  }
  const urls = [...addresses].map((address) => new URL(address));
  const scores = SIGNS.map(({ product, host, path, member, header }) => ({
    product,
    score: [
      host !== undefined && urls.some(({ hostname }) => host.test(hostname)),
      path !== undefined && urls.some(({ pathname }) => path.test(pathname)),
      member !== undefined && [...members].some((name) => member.test(name)),
      header !== undefined && [...headers].some((line) => header.test(line)),
    ].filter(Boolean).length,
  }));
  const most = Math.max(...scores.map(({ score }) => score));
  return most === 0 ? null : (scores.find(({ score }) => score === most)?.product ?? null);
}

function parseMetadata(body: string): JsonObject {
  const value = parseJson(body);
  return isJsonObject(value) && 'issuer' in value ? value : {};
}
