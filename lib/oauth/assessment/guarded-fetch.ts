import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Transport } from '@/lib/oauth/assessment/target';

/** What the transport to foreign servers may do. */
interface GuardOptions {
  /** Also connects to loopback and private addresses. Only for a person who runs Sluice on their own machine. */
  allowPrivate: boolean;
  /** The whole exchange takes no longer, in milliseconds. */
  timeoutMs?: number;
  /** No more of a body is read, in bytes. */
  bodyLimit?: number;
  /** Resolves names; the system's resolver by default. */
  resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/** The address is not one that may be connected to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/**
 * A transport to any server on the internet that cannot be turned against the network it runs in (SSRF). The address
 * that was checked is the address that is connected to: the check is the connection's own name resolution, so a name
 * that changes its mind in between (DNS rebinding) gains nothing. Redirects are not followed.
 */
export function guardedFetch({
  allowPrivate,
  timeoutMs = 10_000,
  bodyLimit = 1_048_576,
  resolve = (hostname) => systemLookup(hostname, { all: true }),
}: GuardOptions): Transport {
  const lookup = (
    hostname: string,
    lookupOptions: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new Error('The name has no address.'), []);
        if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
          return callback(new ForbiddenAddress('The name leads to an address that is not public.'), []);
        }
        return lookupOptions.all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };

  return async (request) => {
    const url = new URL(request.url);
    if (!/^https?:$/.test(url.protocol)) throw new ForbiddenAddress('Only http and https are supported.');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !allowPrivate && !isPublicAddress(host)) {
      throw new ForbiddenAddress('The address is not public.');
    }
    const body = Buffer.from(await request.arrayBuffer());
    const own = { 'accept-encoding': 'identity', 'content-length': String(body.length) };
    const headers = { ...Object.fromEntries(request.headers), ...own };
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await new Promise<IncomingMessage>((done, fail) => {
      const sent = open(url, { method: request.method, headers, lookup, agent: false, signal }, done);
      sent.on('error', fail);
      sent.end(body);
    });
    return toResponse(answer, await readLimited(answer, bodyLimit));
  };
}

async function readLimited(answer: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    chunks.push(bytes);
    if (size > limit) {
      answer.destroy();
      throw new Error(`The answer is larger than ${limit} bytes.`);
    }
  }
  return Buffer.concat(chunks);
}

function toResponse(answer: IncomingMessage, body: Buffer): Response {
  const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const status = answer.statusCode ?? 502;
  return new Response([204, 205, 304].includes(status) ? null : new Uint8Array(body), { status, headers: pairs });
}

/**
 * Whether an IP address is one of the public internet: no loopback, private, link-local, shared, multicast, benchmark or
 * reserved one, in no disguise (IPv4-mapped, NAT64, 6to4, Teredo, IPv4-compatible).
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  // Global unicast is 2000::/3; what else looks like unicast (`::a.b.c.d`, site-local) leads elsewhere.
  const [first = 0] = parsed.toByteArray();
  return first >> 5 === 1;
}
