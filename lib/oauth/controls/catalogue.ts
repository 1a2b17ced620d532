import { ERROR_REDIRECTS } from '@/lib/oauth/controls/authorization/error-redirects';
import { FORMS } from '@/lib/oauth/controls/authorization/forms';
import { LOGOUT } from '@/lib/oauth/controls/authorization/logout';
import { PAGES } from '@/lib/oauth/controls/authorization/pages';
import { PARAMETERS } from '@/lib/oauth/controls/authorization/parameters';
import { PKCE_CHALLENGES } from '@/lib/oauth/controls/authorization/pkce-challenges';
import { PUSHED_REQUESTS } from '@/lib/oauth/controls/authorization/pushed-requests';
import { REDIRECT_URIS } from '@/lib/oauth/controls/authorization/redirect-uris';
import { REFLECTED_MARKUP } from '@/lib/oauth/controls/authorization/reflected-markup';
import { REQUEST_OBJECTS } from '@/lib/oauth/controls/authorization/request-objects';
import { RESOURCE_INDICATORS } from '@/lib/oauth/controls/authorization/resource-indicators';
import { RESPONSES } from '@/lib/oauth/controls/authorization/responses';
import { SCOPES } from '@/lib/oauth/controls/authorization/scopes';
import { SESSION_COOKIE } from '@/lib/oauth/controls/authorization/session-cookie';
import { CODE_LIFETIME_AND_ENTROPY } from '@/lib/oauth/controls/code/lifetime-and-entropy';
import { CODE_REDEMPTION } from '@/lib/oauth/controls/code/redemption';
import { type Control, type ControlDescription, SEVERITIES } from '@/lib/oauth/controls/control';
import { CERTIFICATE_BOUND_TOKENS } from '@/lib/oauth/controls/resource/certificate-bound-tokens';
import { DPOP } from '@/lib/oauth/controls/resource/dpop';
import { FORGED_TOKENS } from '@/lib/oauth/controls/resource/forged-tokens';
import { GUESSED_TOKENS } from '@/lib/oauth/controls/resource/guessed-tokens';
import { PROTECTED_RESOURCE } from '@/lib/oauth/controls/resource/protected-resource';
import { REGISTRATION_MANAGEMENT } from '@/lib/oauth/controls/resource/registration-management';
import { REVOCATION } from '@/lib/oauth/controls/resource/revocation';
import { TOKEN_CLAIMS } from '@/lib/oauth/controls/resource/token-claims';
import { TOKEN_USE } from '@/lib/oauth/controls/resource/token-use';
import { AUTHENTICATED_ENDPOINTS } from '@/lib/oauth/controls/token/authenticated-endpoints';
import { AUTHENTICATION_AGE } from '@/lib/oauth/controls/token/authentication-age';
import { CLIENT_ASSERTIONS } from '@/lib/oauth/controls/token/client-assertions';
import { CLIENT_AUTHENTICATION } from '@/lib/oauth/controls/token/client-authentication';
import { CLIENT_CERTIFICATES } from '@/lib/oauth/controls/token/client-certificates';
import { CLIENT_CREDENTIALS_GRANT } from '@/lib/oauth/controls/token/client-credentials-grant';
import { DEVICE_CLIENTS } from '@/lib/oauth/controls/token/device-clients';
import { DEVICE_FLOW } from '@/lib/oauth/controls/token/device-flow';
import { ID_TOKENS } from '@/lib/oauth/controls/token/id-tokens';
import { PKCE_VERIFIERS } from '@/lib/oauth/controls/token/pkce-verifiers';
import { REFRESH_TOKENS } from '@/lib/oauth/controls/token/refresh-tokens';
import { TOKEN_ENDPOINT } from '@/lib/oauth/controls/token/token-endpoint';
import { TOKEN_EXCHANGE } from '@/lib/oauth/controls/token/token-exchange';
import { CORS } from '@/lib/oauth/controls/transport/cors';
import { FORWARDED_HOST } from '@/lib/oauth/controls/transport/forwarded-host';
import { METADATA } from '@/lib/oauth/controls/transport/metadata';
import { TLS } from '@/lib/oauth/controls/transport/tls';

/** Every control, in the order in which an assessment probes them. */
export const CATALOGUE: readonly Control[] = [
  ...REDIRECT_URIS,
  ...ERROR_REDIRECTS,
  ...PKCE_CHALLENGES,
  ...PARAMETERS,
  ...RESOURCE_INDICATORS,
  ...SCOPES,
  ...RESPONSES,
  ...PAGES,
  ...FORMS,
  ...SESSION_COOKIE,
  ...REFLECTED_MARKUP,
  ...PUSHED_REQUESTS,
  ...REQUEST_OBJECTS,
  ...CODE_REDEMPTION,
  ...CODE_LIFETIME_AND_ENTROPY,
  ...PKCE_VERIFIERS,
  ...REFRESH_TOKENS,
  ...CLIENT_AUTHENTICATION,
  ...CLIENT_CREDENTIALS_GRANT,
  ...TOKEN_EXCHANGE,
  ...AUTHENTICATED_ENDPOINTS,
  ...DEVICE_FLOW,
  ...DEVICE_CLIENTS,
  ...TOKEN_ENDPOINT,
  ...CLIENT_ASSERTIONS,
  ...CLIENT_CERTIFICATES,
  ...ID_TOKENS,
  ...FORGED_TOKENS,
  ...GUESSED_TOKENS,
  ...TOKEN_CLAIMS,
  ...REVOCATION,
  ...TOKEN_USE,
  ...PROTECTED_RESOURCE,
  ...REGISTRATION_MANAGEMENT,
  ...DPOP,
  ...CERTIFICATE_BOUND_TOKENS,
  ...TLS,
  ...METADATA,
  ...FORWARDED_HOST,
  ...CORS,
  ...AUTHENTICATION_AGE,
  // A logout may end the session of the person, so nothing comes after it.
  ...LOGOUT,
];

/** Describes the catalogue for a page, the most severe controls first. */
export function describeCatalogue(): ControlDescription[] {
  return CATALOGUE.map(({ evaluate: _, ...description }) => description).sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}
