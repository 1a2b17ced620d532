import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import { type Exchange, parseJsonObject } from '@/lib/oauth/assessment/exchange';
import { type ClientTransport, sendExchange } from '@/lib/oauth/client/send-step';
import { listDiscoveryAddresses, readServerMetadata, type ServerMetadata } from '@/lib/oauth/client/server-metadata';

/** Result of discovery. */
export interface Discovery {
  metadata: ServerMetadata | null;
  /** Keys published at the JWKS address. Null if they could not be read. */
  keys: JSONWebKeySet | null;
  /** Description of the problem. It may be set even if metadata was found. */
  problem: string | null;
  exchanges: readonly Exchange[];
}

type Reader = Pick<ClientTransport, 'send' | 'clock'>;

/**
 * Reads the metadata and the keys of an issuer. @throws the errors of `send`, and TypeError if the issuer is not a URL
 */
export async function discover(issuer: string, reader: Reader): Promise<Discovery> {
  const exchanges: Exchange[] = [];
  let problem: string | null = null;
  for (const address of listDiscoveryAddresses(issuer)) {
    const exchange = await get('Metadata', address, reader);
    exchanges.push(exchange);
    if (exchange.response.status !== 200) {
      problem ??= `The server answers ${exchange.response.status} where its metadata should be.`;
      continue;
    }
    const read = readServerMetadata(exchange.response.body, issuer);
    problem = read.problem;
    if (read.metadata === null) continue;
    const { metadata } = read;
    const keys = metadata.jwks_uri === undefined ? null : await readKeys(metadata.jwks_uri, reader, exchanges);
    const unreadable = metadata.jwks_uri !== undefined && keys === null ? 'Its keys (jwks_uri) cannot be read.' : null;
    return { metadata, keys, problem: problem ?? unreadable, exchanges };
  }
  return { metadata: null, keys: null, problem: problem ?? 'No metadata was found.', exchanges };
}

/** Reads a key set. Returns null if there is none. */
export async function readKeys(
  address: string,
  reader: Reader,
  exchanges: Exchange[] = [],
): Promise<JSONWebKeySet | null> {
  if (!URL.canParse(address)) return null;
  const exchange = await get('Keys', address, reader);
  exchanges.push(exchange);
  return KeySet.safeParse(parseJsonObject(exchange.response.body)).data ?? null;
}

/** JWK set (RFC 7517 section 5). */
const KeySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

const get = (label: string, url: string, reader: Reader) =>
  sendExchange(label, { method: 'GET', url, headers: [['Accept', 'application/json']], body: '' }, reader);
