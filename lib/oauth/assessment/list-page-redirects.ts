// A tag ends before the next one, and a script at the latest with the page. So each pattern reads a page once.
const REFRESH = /<meta\b(?=[^<>]*http-equiv\s*=\s*["']?refresh)[^<>]*\burl\s*=\s*["']?([^"'<>\s]+)/gi;
const SCRIPT = /<script\b[^<>]*>([\s\S]*?)(?:<\/script|$)/gi;
const NAVIGATION = /\blocation(?:\.href)?\s*(?:=|\.(?:replace|assign)\s*\()\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** Lists the addresses that a page opens without an action of its user. */
export function listPageRedirects(body: string): string[] {
  const refreshes = [...body.matchAll(REFRESH)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
  const scripts = [...body.matchAll(SCRIPT)].flatMap(([, script = '']) => [...script.matchAll(NAVIGATION)]);
  return [...refreshes, ...scripts.map(([, , text = '']) => unescapeScript(text))];
}

const unescapeScript = (text: string): string =>
  text
    .replace(/\\u([\da-f]{4})|\\x([\da-f]{2})/gi, (_, wide?: string, narrow?: string) =>
      String.fromCharCode(Number.parseInt(wide ?? narrow ?? '', 16)),
    )
    .replace(/\\(.)/g, '$1');
