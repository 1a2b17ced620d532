// Written by write-catalogue.mjs: run it after adding or removing a control.

import algConfusion from '@/lib/oauth/controls/alg-confusion';
import algNone from '@/lib/oauth/controls/alg-none';
import clientAuthentication from '@/lib/oauth/controls/client-authentication';
import clientIdMixup from '@/lib/oauth/controls/client-id-mixup';
import codeClientBinding from '@/lib/oauth/controls/code-client-binding';
import codeEntropy from '@/lib/oauth/controls/code-entropy';
import codeLifetime from '@/lib/oauth/controls/code-lifetime';
import codeRace from '@/lib/oauth/controls/code-race';
import codeRedirectBinding from '@/lib/oauth/controls/code-redirect-binding';
import codeReuseRevokes from '@/lib/oauth/controls/code-reuse-revokes';
import codeSingleUse from '@/lib/oauth/controls/code-single-use';
import type { Control } from '@/lib/oauth/controls/control';
import corsTokenEndpoint from '@/lib/oauth/controls/cors-token-endpoint';
import credentialsInUri from '@/lib/oauth/controls/credentials-in-uri';
import duplicateParameters from '@/lib/oauth/controls/duplicate-parameters';
import frameProtection from '@/lib/oauth/controls/frame-protection';
import issuerInResponse from '@/lib/oauth/controls/issuer-in-response';
import issuerValidated from '@/lib/oauth/controls/issuer-validated';
import jwksStrength from '@/lib/oauth/controls/jwks-strength';
import loopbackPort from '@/lib/oauth/controls/loopback-port';
import metadataConsistent from '@/lib/oauth/controls/metadata-consistent';
import noOpenRedirectOnError from '@/lib/oauth/controls/no-open-redirect-on-error';
import noPasswordGrant from '@/lib/oauth/controls/no-password-grant';
import noTokenInQuery from '@/lib/oauth/controls/no-token-in-query';
import nonceReturned from '@/lib/oauth/controls/nonce-returned';
import notBefore from '@/lib/oauth/controls/not-before';
import par from '@/lib/oauth/controls/par';
import pkceChallengeSyntax from '@/lib/oauth/controls/pkce-challenge-syntax';
import pkceDowngrade from '@/lib/oauth/controls/pkce-downgrade';
import pkceMethodDowngrade from '@/lib/oauth/controls/pkce-method-downgrade';
import pkceS256 from '@/lib/oauth/controls/pkce-s256';
import pkceVerified from '@/lib/oauth/controls/pkce-verified';
import redirectUriFragment from '@/lib/oauth/controls/redirect-uri-fragment';
import redirectUriRequired from '@/lib/oauth/controls/redirect-uri-required';
import redirectUriScheme from '@/lib/oauth/controls/redirect-uri-scheme';
import redirectUriWildcard from '@/lib/oauth/controls/redirect-uri-wildcard';
import referrerPolicy from '@/lib/oauth/controls/referrer-policy';
import refreshClientBinding from '@/lib/oauth/controls/refresh-client-binding';
import refreshRace from '@/lib/oauth/controls/refresh-race';
import refreshReuseRevokes from '@/lib/oauth/controls/refresh-reuse-revokes';
import refreshRotation from '@/lib/oauth/controls/refresh-rotation';
import refreshScope from '@/lib/oauth/controls/refresh-scope';
import requirePkce from '@/lib/oauth/controls/require-pkce';
import requireState from '@/lib/oauth/controls/require-state';
import responseTypeCode from '@/lib/oauth/controls/response-type-code';
import revocationCascade from '@/lib/oauth/controls/revocation-cascade';
import revocationClientBound from '@/lib/oauth/controls/revocation-client-bound';
import revocationEffective from '@/lib/oauth/controls/revocation-effective';
import scopeEnforced from '@/lib/oauth/controls/scope-enforced';
import scopeLimits from '@/lib/oauth/controls/scope-limits';
import senderConstrained from '@/lib/oauth/controls/sender-constrained';
import shortTokenLifetime from '@/lib/oauth/controls/short-token-lifetime';
import signatureVerified from '@/lib/oauth/controls/signature-verified';
import strictRedirectUri from '@/lib/oauth/controls/strict-redirect-uri';
import tls from '@/lib/oauth/controls/tls';
import tokenEntropy from '@/lib/oauth/controls/token-entropy';
import tokenExpiry from '@/lib/oauth/controls/token-expiry';
import tokenNoStore from '@/lib/oauth/controls/token-no-store';
import tokenPostOnly from '@/lib/oauth/controls/token-post-only';
import tokenTypeHeader from '@/lib/oauth/controls/token-type-header';
import unknownParameterIgnored from '@/lib/oauth/controls/unknown-parameter-ignored';
import userConsent from '@/lib/oauth/controls/user-consent';
import validateAudience from '@/lib/oauth/controls/validate-audience';
import wwwAuthenticate from '@/lib/oauth/controls/www-authenticate';

/** Every control that is judged. */
export const CATALOGUE: readonly Control[] = [
  algConfusion,
  algNone,
  clientAuthentication,
  clientIdMixup,
  codeClientBinding,
  codeEntropy,
  codeLifetime,
  codeRace,
  codeRedirectBinding,
  codeReuseRevokes,
  codeSingleUse,
  corsTokenEndpoint,
  credentialsInUri,
  duplicateParameters,
  frameProtection,
  issuerInResponse,
  issuerValidated,
  jwksStrength,
  loopbackPort,
  metadataConsistent,
  noOpenRedirectOnError,
  noPasswordGrant,
  noTokenInQuery,
  nonceReturned,
  notBefore,
  par,
  pkceChallengeSyntax,
  pkceDowngrade,
  pkceMethodDowngrade,
  pkceS256,
  pkceVerified,
  redirectUriFragment,
  redirectUriRequired,
  redirectUriScheme,
  redirectUriWildcard,
  referrerPolicy,
  refreshClientBinding,
  refreshRace,
  refreshReuseRevokes,
  refreshRotation,
  refreshScope,
  requirePkce,
  requireState,
  responseTypeCode,
  revocationCascade,
  revocationClientBound,
  revocationEffective,
  scopeEnforced,
  scopeLimits,
  senderConstrained,
  shortTokenLifetime,
  signatureVerified,
  strictRedirectUri,
  tls,
  tokenEntropy,
  tokenExpiry,
  tokenNoStore,
  tokenPostOnly,
  tokenTypeHeader,
  unknownParameterIgnored,
  userConsent,
  validateAudience,
  wwwAuthenticate,
];
