/**
 * SQL of a text by which the columns `type` and `identifier` of a table sort naturally. IPv4 addresses and ranges sort by
 * their numbers, a range before the addresses in it. Other identifiers sort by their text, regardless of the case of ASCII
 * letters, and then by the number at their end. The indexes `allowlist_natural` and `overrides_natural` are made of this
 * expression, by a migration written by hand. So it must not change without another, and it has no parameters.
 */
export const IDENTIFIER_ORDER = (() => {
  const numbers = "'[' || replace(replace(identifier, '.', ','), '/', ',') || ']'";
  const part = (index: number) => `json_extract(${numbers}, '$[${index}]')`;
  const ipv4 = `printf('%03d.%03d.%03d.%03d/%02d', ${[0, 1, 2, 3].map(part).join(', ')}, coalesce(${part(4)}, 32))`;
  const prefix = "rtrim(identifier, '0123456789')";
  const number = `ltrim(substr(identifier, length(${prefix}) + 1), '0')`;
  const text = `lower(${prefix}) || printf('%03d', length(${number})) || ${number}`;
  return `case when type = 'ip' and json_valid(${numbers}) then ${ipv4} else ${text} end`;
})();

/** Computes the text of `IDENTIFIER_ORDER` for an item of a list. */
export function buildIdentifierOrder({ type, identifier }: { type: string; identifier: string }): string {
  const address = type === 'ip' ? /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(identifier) : null;
  if (address !== null) {
    const [a, b, c, d] = address.slice(1, 5).map((part) => part.padStart(3, '0'));
    return `${a}.${b}.${c}.${d}/${(address[5] ?? '32').padStart(2, '0')}`;
  }
  const prefix = identifier.replace(/\d+$/, '');
  const number = identifier.slice(prefix.length).replace(/^0+/, '');
  const lower = prefix.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `${lower}${String(number.length).padStart(3, '0')}${number}`;
}
