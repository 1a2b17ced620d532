import { randomUUID } from 'node:crypto';
import type { HeaderReader } from '@/lib/http/request-head';

/** Fields that end at the next hop (RFC 9110 section 7.6.1), in requests and in answers. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
];

/** The names in a `Connection` field, in lower case. */
export function connectionOptions(value: string | null | undefined): string[] {
  return (value ?? '').split(',').map((option) => option.trim().toLowerCase());
}

/** The fields of one of Node's requests as a `HeaderReader`, at a fraction of the cost of `Headers`. */
export class HeaderFields implements HeaderReader {
  /**
   * @param fields names in lower case
   * @param raw names and values in turn, as they were sent
   */
  constructor(
    private readonly fields: Readonly<Record<string, string | string[] | undefined>>,
    private readonly raw: readonly string[] = [],
  ) {}

  all(name: string): string[] {
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

/** The caller's request id when it is safe in a log and a header, else a new one. */
export function acceptRequestId(given: unknown): string {
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

/**
 * A registered name or an IPv4 address of unreserved characters, or an IPv6 address in brackets, and a port (RFC 9110
 * section 7.2, RFC 3986 section 3.2.2). Narrower than the RFC on purpose: percent-encoding, sub-delimiters (a comma is
 * two of them), IPvFuture and zones stand in no host that a client sends, and parsers read them differently.
 */
const HOST = /^(?:[a-z0-9._~-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/i;

let last = '';

/** Whether a `Host` or `X-Forwarded-Host` header is one host, with or without a port. */
export function isHost(value: string): boolean {
  // Most requests name the host of the one before.
  if (value === last) return true;
  if (!HOST.test(value) || !URL.canParse(`http://${value}`)) return false;
  last = value;
  return true;
}
