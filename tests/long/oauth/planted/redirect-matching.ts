/** Ways to compare a redirect URI with a registered one that let other addresses through, by the weakness. */
export const WEAK_MATCHES: Readonly<Record<string, (given: string, registered: string) => boolean>> = {
  'redirect URI by prefix': (given, registered) => given.startsWith(registered),
  'redirect URI by suffix': (given, registered) => given.endsWith(registered.slice('https://'.length)),
  'redirect URI by host': (given, registered) => isUrl(given) && new URL(given).host === new URL(registered).host,
  'redirect URI by registrable domain': (given) => isUrl(given) && new URL(given).hostname.endsWith('example.com'),
  'redirect URI by pattern': (given, registered) => new RegExp(`^${registered.replaceAll('/', '\\/')}$`).test(given),
  'redirect URI contained': (given, registered) => given.includes(registered),
  'redirect URI without its query': (given, registered) => given.split('?')[0] === registered,
  'redirect URI without its fragment': (given, registered) => given.split('#')[0] === registered,
  'redirect URI in any case': (given, registered) => given.toLowerCase() === registered.toLowerCase(),
  'redirect URI decoded': (given, registered) => decode(given) === registered,
  'redirect URI with or without a slash': (given, registered) => given.replace(/\/$/, '') === registered,
  'redirect URI at any port': (given, registered) =>
    isUrl(given) && new URL(given).href.replace(/:\d+\//, '/') === registered,
  'redirect URI with user information': (given, registered) => given.replace(/\/\/[^/]*@/, '//') === registered,
  'redirect URI before a semicolon': (given, registered) => given.split(';')[0] === registered,
  'redirect URI before a NUL': (given, registered) => given.split('%00')[0] === registered,
  'redirect URI with www': (given, registered) => given.replace('://www.', '://') === registered,
  'redirect URI with any scheme': (given, registered) => given.split('://')[1] === registered.split('://')[1],
};

/** Origins that the token endpoint takes for that of its client, by the weakness. */
export const WEAK_ORIGINS: Readonly<Record<string, RegExp>> = {
  'CORS for every origin': /./,
  'CORS for the beginning of an origin': /^https:\/\/app\.example\.com/,
  'CORS for the end of an origin': /app\.example\.com$/,
  'CORS for any character in place of a dot': /^https:\/\/app.example\.com$/,
  'CORS for the origin null': /^null$/,
  'CORS for an origin without TLS': /^https?:\/\/app\.example\.com$/,
};

const isUrl = (text: string): boolean => URL.canParse(text);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
