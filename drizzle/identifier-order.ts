/** Number of groups of an IPv6 address. */
const GROUPS = 8;

/**
 * SQL of a text by which the columns `type` and `identifier` of a table sort naturally. Addresses and ranges sort by their
 * numbers, IPv4 before IPv6, and a range before the addresses in it. Other identifiers sort by their text, regardless of the
 * case of ASCII letters, and then by the number at their end. The indexes `allowlist_natural` and `overrides_natural` are
 * made of this expression, by a migration written by hand. So it must not change without another, and it has no parameters.
 */
export const IDENTIFIER_ORDER = (() => {
  const numbers = "'[' || replace(replace(identifier, '.', ','), '/', ',') || ']'";
  const part = (index: number) => `json_extract(${numbers}, '$[${index}]')`;
  const ipv4 = `printf('%03d.%03d.%03d.%03d/%02d', ${[0, 1, 2, 3].map(part).join(', ')}, coalesce(${part(4)}, 32))`;
  const slash = "instr(identifier || '/', '/')";
  const address = `substr(identifier, 1, ${slash} - 1)`;
  const colons = `(length(${address}) - length(replace(${address}, ':', '')))`;
  const zeros = `substr('${'0:'.repeat(GROUPS)}', 1, 2 * (${GROUPS} - ${colons}))`;
  const groups = `'["' || replace(replace(${address}, '::', ':' || ${zeros}), ':', '","') || '"]'`;
  const group = (index: number) => `substr('0000' || coalesce(json_extract(${groups}, '$[${index}]'), ''), -4)`;
  const length = `printf('%03d', coalesce(nullif(substr(identifier, ${slash} + 1), ''), 128))`;
  const ipv6 = `':' || ${Array.from({ length: GROUPS }, (_, index) => group(index)).join(' || ')} || '/' || ${length}`;
  const prefix = "rtrim(identifier, '0123456789')";
  const number = `ltrim(substr(identifier, length(${prefix}) + 1), '0')`;
  const text = `lower(${prefix}) || printf('%03d', length(${number})) || ${number}`;
  const isIpv6 = `instr(identifier, ':') > 0 and json_valid(${groups})`;
  return `case when type <> 'ip' then ${text} when json_valid(${numbers}) then ${ipv4} when ${isIpv6} then ${ipv6} else ${text} end`;
})();

/** Computes the text of `IDENTIFIER_ORDER` for an item of a list. */
export function buildIdentifierOrder({ type, identifier }: { type: string; identifier: string }): string {
  const address = type === 'ip' ? /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(identifier) : null;
  if (address !== null) {
    const [a, b, c, d] = address.slice(1, 5).map((part) => part.padStart(3, '0'));
    return `${a}.${b}.${c}.${d}/${(address[5] ?? '32').padStart(2, '0')}`;
  }
  if (type === 'ip' && identifier.includes(':')) {
    const [written = '', length = '128'] = identifier.split('/');
    const zeros = '0:'.repeat(Math.max(0, GROUPS + 1 - written.split(':').length));
    const groups = written.replace('::', `:${zeros}`).split(':');
    const numbers = Array.from({ length: GROUPS }, (_, index) => (groups[index] ?? '').padStart(4, '0'));
    return `:${numbers.join('')}/${length.padStart(3, '0')}`;
  }
  const prefix = identifier.replace(/\d+$/, '');
  const number = identifier.slice(prefix.length).replace(/^0+/, '');
  const lower = prefix.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `${lower}${String(number.length).padStart(3, '0')}${number}`;
}
