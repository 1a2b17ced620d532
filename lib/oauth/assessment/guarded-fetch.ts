import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { type AllowedTargets, findClosedReason, isPublicAddress } from '@/lib/http/allowed-targets';
import { abortAfter } from '@/lib/oauth/assessment/abort-after';
import type { AssessmentTarget, Transport } from '@/lib/oauth/assessment/target';
import { isHandshakeCode, shakeHands } from '@/lib/oauth/assessment/tls-handshake';

/** Options of the network of an assessment. */
interface GuardOptions {
  /** Addresses that may be reached although they are not public. */
  allowed: AllowedTargets;
  /** True if plain http is limited to addresses that are not public. */
  httpsForPublic?: boolean;
  /** Time limit of the whole exchange, in milliseconds. */
  timeoutMs?: number;
  /** Bytes of a body that are read. */
  bodyLimit?: number;
  /** Certificates of authorities that are trusted, as PEM. By default those of Node. */
  authorities?: string;
  /** Resolves names. By default the resolver of the system. */
  resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/** Maximum number of interim answers, with a status below 200, before the final one (RFC 9110 section 15.2). */
const MOST_INTERIM = 20;

/** Thrown for an address that must not be connected to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Creates the network of an assessment: requests and TLS handshakes, behind one guard. */
export function createAssessmentNetwork(
  options: GuardOptions,
): Required<Pick<AssessmentTarget, 'transport' | 'handshake' | 'now'>> {
  return {
    transport: createGuardedFetch(options),
    async handshake(url, offer) {
      const { hostname, port } = new URL(url);
      const host = removeBrackets(hostname);
      const [first] = await Promise.race([openAddresses(host, options), rejectAfterTimeout(host, options.timeoutMs)]);
      const { authorities, timeoutMs } = options;
      const place = { host, port: Number(port) || 443, address: first.address };
      return shakeHands(place, { authorities, ...offer }, timeoutMs);
    },
    now: Date.now,
  };
}

/** Rejects after the time limit for a host look-up, 10 seconds by default. The timer keeps no process alive. */
function rejectAfterTimeout(host: string, milliseconds = 10_000): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${host} could not be looked up in time.`)), milliseconds).unref();
  });
}

/**
 * Resolves a host. If one of its addresses is forbidden, the host is refused.
 * @throws ForbiddenAddress, or the error of the resolver
 */
async function openAddresses(
  host: string,
  options: GuardOptions,
  protocol = 'https:',
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const { allowed, resolve = (hostname: string) => systemLookup(hostname, { all: true }) } = options;
  const family = isIP(host);
  const [first, ...more] = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (first === undefined) throw new Error(`${host} has no address.`);
  for (const { address } of [first, ...more]) {
    if (options.httpsForPublic === true && protocol === 'http:' && isPublicAddress(address))
      throw new ForbiddenAddress(`${host} is public: only https goes there.`);
    const closed = findClosedReason(address, host, allowed);
    if (closed === null) continue;
    const what = family === 0 ? `${host} resolves to ${closed}` : `${host} is ${closed}`;
    throw new ForbiddenAddress(`${what}; SLUICE_ASSESS_ALLOW does not name it.`);
  }
  return [first, ...more];
}

const removeBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Creates a transport to any public server, and to allowed private ones. It prevents attacks on the network it runs in
 * (SSRF). The check is part of the connection's name resolution, so the checked address is the connected one. DNS
 * rebinding therefore has no effect. Redirects are not followed. A certificate of the client goes nowhere but to the
 * connection of its request, and never over plain http.
 */
export function createGuardedFetch(options: GuardOptions): Transport {
  const { timeoutMs = 10_000, bodyLimit = 1_048_576, authorities: ca } = options;
  const createLookup =
    (protocol: string) =>
    (
      hostname: string,
      lookupOptions: LookupOptions,
      callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
    ): void => {
      openAddresses(hostname, options, protocol).then(
        ([first, ...more]) =>
          lookupOptions.all ? callback(null, [first, ...more]) : callback(null, first.address, first.family),
        (error: Error) => callback(error, []),
      );
    };

  return async (request, certificate) => {
    const url = new URL(request.url);
    if (!/^https?:$/.test(url.protocol)) throw new ForbiddenAddress('Only http and https are supported.');
    const host = removeBrackets(url.hostname);
    // Names are checked when they are resolved. IP addresses are not resolved, so they are checked here.
    if (isIP(host) !== 0) await openAddresses(host, options, url.protocol);
    const body = Buffer.from(await request.arrayBuffer());
    const added = { 'accept-encoding': 'identity', 'content-length': String(body.length) };
    const headers = { ...Object.fromEntries(request.headers), ...added };
    const lookup = createLookup(url.protocol);
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = abortAfter(timeoutMs, request.signal);
    const own = certificate === undefined ? {} : { cert: certificate.chain, key: certificate.key };
    try {
      const answer = await new Promise<IncomingMessage>((done, fail) => {
        const sent = open(url, { method: request.method, headers, lookup, agent: false, signal, ca, ...own }, done);
        sent.on('error', fail);
        let interim = 0;
        sent.on('information', () => {
          interim += 1;
          if (interim > MOST_INTERIM)
            sent.destroy(new Error(`The server sent more than ${MOST_INTERIM} interim answers.`));
        });
        sent.on('upgrade', (answer, socket) => {
          socket.destroy();
          fail(createStatusError(answer));
        });
        // The request ends with its connection, for any reason.
        sent.on('close', () => fail(new Error('The server closed the connection without an answer.')));
        sent.end(body);
      });
      const { statusCode = 0 } = answer;
      if (statusCode < 200 || statusCode > 599) throw createStatusError(answer.destroy());
      const read = await readLimited(answer, bodyLimit);
      // A body without a length ends with its connection, even if the time-out closed that.
      signal.throwIfAborted();
      return buildResponse(answer, read);
    } catch (error) {
      if (signal.aborted && !request.signal.aborted)
        throw new Error(`${url.host} gave no whole answer in ${timeoutMs / 1000} seconds.`);
      throw explain(error);
    }
  };
}

/** Replaces the message of a Node error by one for people. The code stays. */
function explain(error: unknown): unknown {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const parseError = message.replace('Parse Error: ', '');
  const clear = code.startsWith('HPE_')
    ? `The server did not answer in valid HTTP: ${parseError}.`
    : isHandshakeCode(code)
      ? 'The TLS handshake failed.'
      : code === 'ECONNRESET'
        ? 'The server closed the connection without a whole answer.'
        : null;
  return clear === null ? error : Object.assign(new Error(clear, { cause: error }), { code });
}

function createStatusError({ statusCode }: IncomingMessage): Error {
  return new Error(`The server answered with status ${statusCode}, which ends no request.`);
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

function buildResponse(answer: IncomingMessage, body: Buffer): Response {
  const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const status = answer.statusCode ?? 0;
  return new Response([204, 205, 304].includes(status) ? null : new Uint8Array(body), { status, headers: pairs });
}
