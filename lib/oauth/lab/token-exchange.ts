import { decodeJwt } from 'jose';
import { ACCESS_TOKEN_TYPE } from '@/lib/contract/lab-paths';
import { type AccessTokenClaims, readAccessToken } from '@/lib/oauth/lab/access-token';
import { isPublic } from '@/lib/oauth/lab/clients';
import { SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { type Grant, issueAccessToken } from '@/lib/oauth/lab/grant';
import { readResources } from '@/lib/oauth/lab/resources';
import { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { generateId, readTicket } from '@/lib/oauth/lab/tickets';
import type { RedeemGrant, TokenRequest } from '@/lib/oauth/lab/token-request';

/** Content of a subject token or an actor token. */
interface ReadToken {
  claims: Pick<AccessTokenClaims, 'sub' | 'client_id' | 'scope' | 'exp' | 'grant_id' | 'cnf'>;
  /** The party that acts already (RFC 8693 section 4.1), or undefined. */
  act: unknown;
}

/**
 * Handles the token exchange grant (RFC 8693). A confidential client gives an access token of the lab, of any client,
 * and gets one for itself. It never outlives the subject token, never has more scope, and ends with its grant.
 */
export const redeemSubjectToken: RedeemGrant = async (request, lab) => {
  const { client, parameters, violations, thumbprint, certificate } = request;
  if (isPublic(client)) violations.note(null, 'Only a confidential client may exchange tokens.', 'unauthorized_client');
  const requested = parameters.get('requested_token_type') ?? ACCESS_TOKEN_TYPE;
  if (requested !== ACCESS_TOKEN_TYPE) violations.note(null, `requested_token_type must be ${ACCESS_TOKEN_TYPE}.`);
  const subject = await readToken(request, 'subject_token', lab);
  const actor = await readActor(request, lab);
  const resources = readResources(parameters, violations, lab.origin, null, ['resource', 'audience']);
  if (subject === null) return null;
  const { claims, act } = subject;
  const granted = claims.scope.split(' ').filter((value) => value !== '');
  const wanted = parameters.get('scope') === undefined ? granted : parameters.list('scope');
  if (!wanted.every((value) => granted.includes(value)))
    violations.note('token-exchange-scope', 'scope asks for more than the subject token has.', 'invalid_scope');
  const { jkt = thumbprint, 'x5t#S256': x5t = certificate } = claims.cnf ?? {};
  if (jkt !== thumbprint) violations.note(null, 'The subject token is bound to a key without proof of possession.');
  if (x5t !== certificate) violations.note(null, 'The subject token is bound to another certificate.');
  if (violations.refusing.length > 0) return null;
  const grant: Grant = {
    grantId: claims.grant_id ?? generateId(lab),
    clientId: client.id,
    scope: wanted.join(' '),
    nonce: null,
    resources,
    thumbprint,
    certificate,
    authTime: 0,
  };
  const chain =
    actor === null
      ? act
      : { sub: actor.claims.sub, client_id: actor.claims.client_id, ...(act === undefined ? {} : { act }) };
  const { token, expiresIn } = await issueAccessToken(grant, lab, { act: chain, notAfter: claims.exp });
  return {
    access_token: token,
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: thumbprint === null ? 'Bearer' : 'DPoP',
    expires_in: expiresIn,
    scope: grant.scope,
  };
};

/**
 * Reads a subject or actor token. It must be a valid access token, for any audience. Returns null and records a
 * violation if it cannot be read.
 */
async function readToken(
  { parameters, violations }: TokenRequest,
  name: 'subject_token' | 'actor_token',
  lab: Lab,
): Promise<ReadToken | null> {
  const type = parameters.requireValue(`${name}_type`, violations);
  const token = parameters.requireValue(name, violations);
  if (token === null) return null;
  if (type !== null && type !== ACCESS_TOKEN_TYPE)
    violations.note('token-exchange-type', `${name}_type must be ${ACCESS_TOKEN_TYPE}.`);
  const ticket = await readTicket(lab, 'refresh', token);
  if (ticket !== null) {
    violations.note('token-exchange-type', `${name} is a refresh token.`);
    const { grantId, clientId, scope }: Grant = JSON.parse(ticket.payload);
    return {
      claims: { sub: null, client_id: clientId, scope, exp: null, grant_id: grantId, cnf: null },
      act: undefined,
    };
  }
  const faults = new Violations(SECURE_CONTROLS);
  const claims = await readAccessToken(token, faults, lab);
  const others = faults.all.filter(({ control }) => control !== 'validate-audience');
  if (claims === null) violations.note(null, `${name} is malformed.`);
  for (const { control, description } of claims === null ? [] : others) {
    const isType = control === 'token-type-header';
    violations.note(isType ? 'token-exchange-type' : 'token-exchange-subject', `${name}: ${description}`);
  }
  return claims === null ? null : { claims, act: decodeJwt(token).act };
}

/** Reads the actor token, if there is one (RFC 8693 section 2.1). */
async function readActor(request: TokenRequest, lab: Lab): Promise<ReadToken | null> {
  const { parameters, violations } = request;
  if (parameters.get('actor_token') !== undefined) return readToken(request, 'actor_token', lab);
  if (parameters.get('actor_token_type') !== undefined)
    violations.note(null, 'actor_token_type is sent without actor_token.');
  return null;
}
