import { importJWK, jwtVerify } from 'jose';
import { z } from 'zod';
import { hasCanonicalSegments } from '@/lib/http/base64';
import { isUnusable } from '@/lib/oauth/lab/access-token';
import { CLIENT_KEY_ALGORITHMS } from '@/lib/oauth/lab/client-assertion';
import { findClient } from '@/lib/oauth/lab/clients';
import { Parameters } from '@/lib/oauth/lab/parameters';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';

/** Claims of the JWT itself. They are not parameters. */
const OF_THE_JWT = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'sub']);
const Claims = z.record(z.string(), z.union([z.string(), z.number().transform(String), z.array(z.string())]));

/**
 * Replaces a `request` parameter by the parameters of the signed object (RFC 9101 sections 5 and 6). All others are
 * ignored. Only a client with a registered key may send one.
 * @returns the signed parameters. If the object is unusable, records a violation and returns the unsigned ones.
 */
export async function openRequestObject(parameters: Parameters, violations: Violations, lab: Lab): Promise<Parameters> {
  const object = parameters.get('request');
  if (object === undefined) return parameters;
  const refuseWith = (description: string) => {
    violations.note('jar-signature', description, 'invalid_request_object');
    return parameters;
  };
  const client = findClient(lab.origin, parameters.get('client_id'));
  if (client?.authentication.method !== 'private_key_jwt') {
    return refuseWith('The client has no key registered for request objects.');
  }
  if (!hasCanonicalSegments(object)) return refuseWith('The request object is not valid.');
  try {
    const { payload } = await jwtVerify(object, await importJWK(client.authentication.publicKey), {
      algorithms: CLIENT_KEY_ALGORITHMS,
      issuer: client.id,
      audience: lab.origin,
      currentDate: new Date(lab.now()),
      clockTolerance: 5,
    });
    const claims = Object.entries(payload).filter(([name]) => !OF_THE_JWT.has(name));
    const signed = Object.entries(Claims.parse(Object.fromEntries(claims))).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    );
    const opened = new Parameters(signed);
    if (opened.get('client_id') !== client.id) return refuseWith('The request object is for another client.');
    const nested = ['request', 'request_uri'].some((name) => opened.get(name) !== undefined);
    return nested ? refuseWith('A request object must not hold another.') : opened;
  } catch (error) {
    if (isUnusable(error) || error instanceof z.ZodError) return refuseWith('The request object is not valid.');
    throw error;
  }
}
