import { randomUUID } from 'node:crypto';
import type { HeaderReader } from '@/lib/http/request-head';

/** Header fields that end at the next hop (RFC 9110 section 7.6.1), in requests and in answers. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
];

/** Parses the names in a `Connection` field, in lower case. */
export function parseConnectionOptions(value: string | null | undefined): string[] {
  return (value ?? '').split(',').map((option) => option.trim().toLowerCase());
}

/** Reads the headers of a Node request as a `HeaderReader`, at a fraction of the cost of `Headers`. */
export class HeaderFields implements HeaderReader {
  /**
   * @param fields values by name in lower case
   * @param raw alternating names and values, as sent
   */
  constructor(
    private readonly fields: Readonly<Record<string, string | string[] | undefined>>,
    private readonly raw: readonly string[] = [],
  ) {}

  listValues(name: string): string[] {
    return this.raw.filter((_, at) => at % 2 === 1 && this.raw[at - 1]?.toLowerCase() === name);
  }

  get(name: string): string | null {
    const value = this.fields[name] ?? this.fields[name.toLowerCase()];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : value.join(', ');
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

const ACCEPTABLE = /^[A-Za-z0-9._-]{8,128}$/;

/** Returns the caller's request id if it is safe in a log and a header, else a new one. */
export function acceptRequestId(header: unknown): string {
  return typeof header === 'string' && ACCEPTABLE.test(header) ? header : randomUUID();
}

/**
 * Matches a registered name or an IPv4 address of unreserved characters, or an IPv6 address in brackets, with an
 * optional port (RFC 9110 section 7.2, RFC 3986 section 3.2.2).
 * It is narrower than the RFC on purpose: no client sends percent-encoding, sub-delimiters (such as a comma), IPvFuture
 * or zones, and parsers disagree on them.
 */
const HOST = /^(?:[a-z0-9._~-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/i;

let last = '';

/** Checks whether a `Host` or `X-Forwarded-Host` header is a single host, with or without a port. */
export function isHost(value: string): boolean {
  // Consecutive requests usually name the same host.
  if (value === last) return true;
  if (!HOST.test(value) || !URL.canParse(`http://${value}`)) return false;
  last = value;
  return true;
}
