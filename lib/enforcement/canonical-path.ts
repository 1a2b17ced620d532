/**
 * The path as any server behind could understand it: percent-encoding taken off (twice at most, some servers do),
 * backslashes as slashes, repeated slashes as one, dot segments resolved, no trailing slash. Rules are matched against
 * it, so that no spelling leads round them.
 */
export function canonicalPath(pathname: string): string {
  const once = decoded(pathname);
  const path = once.includes('%') ? decoded(once) : once;
  const segments: string[] = [];
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
