// Written by write-catalogue.mjs: run it after adding or removing a control.

import clientIdMixup from '@/lib/oauth/controls/authorization/client-id-mixup';
import duplicateParameters from '@/lib/oauth/controls/authorization/duplicate-parameters';
import frameProtection from '@/lib/oauth/controls/authorization/frame-protection';
import issuerInResponse from '@/lib/oauth/controls/authorization/issuer-in-response';
import loopbackPort from '@/lib/oauth/controls/authorization/loopback-port';
import noOpenRedirectOnError from '@/lib/oauth/controls/authorization/no-open-redirect-on-error';
import nonceReturned from '@/lib/oauth/controls/authorization/nonce-returned';
import par from '@/lib/oauth/controls/authorization/par';
import pkceChallengeSyntax from '@/lib/oauth/controls/authorization/pkce-challenge-syntax';
import pkceS256 from '@/lib/oauth/controls/authorization/pkce-s256';
import redirectUriFragment from '@/lib/oauth/controls/authorization/redirect-uri-fragment';
import redirectUriRequired from '@/lib/oauth/controls/authorization/redirect-uri-required';
import redirectUriScheme from '@/lib/oauth/controls/authorization/redirect-uri-scheme';
import redirectUriWildcard from '@/lib/oauth/controls/authorization/redirect-uri-wildcard';
import referrerPolicy from '@/lib/oauth/controls/authorization/referrer-policy';
import requirePkce from '@/lib/oauth/controls/authorization/require-pkce';
import requireState from '@/lib/oauth/controls/authorization/require-state';
import responseTypeCode from '@/lib/oauth/controls/authorization/response-type-code';
import scopeLimits from '@/lib/oauth/controls/authorization/scope-limits';
import strictRedirectUri from '@/lib/oauth/controls/authorization/strict-redirect-uri';
import unknownParameterIgnored from '@/lib/oauth/controls/authorization/unknown-parameter-ignored';
import userConsent from '@/lib/oauth/controls/authorization/user-consent';
import codeClientBinding from '@/lib/oauth/controls/code/code-client-binding';
import codeEntropy from '@/lib/oauth/controls/code/code-entropy';
import codeLifetime from '@/lib/oauth/controls/code/code-lifetime';
import codeRace from '@/lib/oauth/controls/code/code-race';
import codeRedirectBinding from '@/lib/oauth/controls/code/code-redirect-binding';
import codeReuseRevokes from '@/lib/oauth/controls/code/code-reuse-revokes';
import codeSingleUse from '@/lib/oauth/controls/code/code-single-use';
import type { Control } from '@/lib/oauth/controls/control';
import algConfusion from '@/lib/oauth/controls/resource/alg-confusion';
import algNone from '@/lib/oauth/controls/resource/alg-none';
import issuerValidated from '@/lib/oauth/controls/resource/issuer-validated';
import noTokenInQuery from '@/lib/oauth/controls/resource/no-token-in-query';
import notBefore from '@/lib/oauth/controls/resource/not-before';
import revocationCascade from '@/lib/oauth/controls/resource/revocation-cascade';
import revocationClientBound from '@/lib/oauth/controls/resource/revocation-client-bound';
import revocationEffective from '@/lib/oauth/controls/resource/revocation-effective';
import scopeEnforced from '@/lib/oauth/controls/resource/scope-enforced';
import senderConstrained from '@/lib/oauth/controls/resource/sender-constrained';
import shortTokenLifetime from '@/lib/oauth/controls/resource/short-token-lifetime';
import signatureVerified from '@/lib/oauth/controls/resource/signature-verified';
import tokenEntropy from '@/lib/oauth/controls/resource/token-entropy';
import tokenExpiry from '@/lib/oauth/controls/resource/token-expiry';
import tokenTypeHeader from '@/lib/oauth/controls/resource/token-type-header';
import validateAudience from '@/lib/oauth/controls/resource/validate-audience';
import wwwAuthenticate from '@/lib/oauth/controls/resource/www-authenticate';
import clientAuthentication from '@/lib/oauth/controls/token/client-authentication';
import credentialsInUri from '@/lib/oauth/controls/token/credentials-in-uri';
import noPasswordGrant from '@/lib/oauth/controls/token/no-password-grant';
import pkceDowngrade from '@/lib/oauth/controls/token/pkce-downgrade';
import pkceMethodDowngrade from '@/lib/oauth/controls/token/pkce-method-downgrade';
import pkceVerified from '@/lib/oauth/controls/token/pkce-verified';
import refreshClientBinding from '@/lib/oauth/controls/token/refresh-client-binding';
import refreshRace from '@/lib/oauth/controls/token/refresh-race';
import refreshReuseRevokes from '@/lib/oauth/controls/token/refresh-reuse-revokes';
import refreshRotation from '@/lib/oauth/controls/token/refresh-rotation';
import refreshScope from '@/lib/oauth/controls/token/refresh-scope';
import tokenNoStore from '@/lib/oauth/controls/token/token-no-store';
import tokenPostOnly from '@/lib/oauth/controls/token/token-post-only';
import corsTokenEndpoint from '@/lib/oauth/controls/transport/cors-token-endpoint';
import jwksStrength from '@/lib/oauth/controls/transport/jwks-strength';
import metadataConsistent from '@/lib/oauth/controls/transport/metadata-consistent';
import tls from '@/lib/oauth/controls/transport/tls';

/** Every control that is judged. */
export const CATALOGUE: readonly Control[] = [
  clientIdMixup,
  duplicateParameters,
  frameProtection,
  issuerInResponse,
  loopbackPort,
  noOpenRedirectOnError,
  nonceReturned,
  par,
  pkceChallengeSyntax,
  pkceS256,
  redirectUriFragment,
  redirectUriRequired,
  redirectUriScheme,
  redirectUriWildcard,
  referrerPolicy,
  requirePkce,
  requireState,
  responseTypeCode,
  scopeLimits,
  strictRedirectUri,
  unknownParameterIgnored,
  userConsent,
  codeClientBinding,
  codeEntropy,
  codeLifetime,
  codeRace,
  codeRedirectBinding,
  codeReuseRevokes,
  codeSingleUse,
  algConfusion,
  algNone,
  issuerValidated,
  noTokenInQuery,
  notBefore,
  revocationCascade,
  revocationClientBound,
  revocationEffective,
  scopeEnforced,
  senderConstrained,
  shortTokenLifetime,
  signatureVerified,
  tokenEntropy,
  tokenExpiry,
  tokenTypeHeader,
  validateAudience,
  wwwAuthenticate,
  clientAuthentication,
  credentialsInUri,
  noPasswordGrant,
  pkceDowngrade,
  pkceMethodDowngrade,
  pkceVerified,
  refreshClientBinding,
  refreshRace,
  refreshReuseRevokes,
  refreshRotation,
  refreshScope,
  tokenNoStore,
  tokenPostOnly,
  corsTokenEndpoint,
  jwksStrength,
  metadataConsistent,
  tls,
];
