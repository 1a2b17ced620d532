import type { JWK } from 'jose';
import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';

/** Reads the keys that a server publishes (RFC 7517). @throws CannotProbe not_applicable if it names no JWKS */
export async function readPublishedKeys(probe: Probe): Promise<JWK[]> {
  const exchange = await probe.readDocument('Read the published keys', await probe.requireEndpoint('jwks_uri'));
  const { keys } = parseResponseJson(exchange);
  const isKey = (key: unknown): key is JWK => typeof key === 'object' && key !== null && 'kty' in key;
  return Array.isArray(keys) ? keys.filter(isKey) : [];
}
