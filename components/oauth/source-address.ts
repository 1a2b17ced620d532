/** Where a source such as `RFC 9700 2.1` can be read, or null. */
export function sourceAddress(source: string): string | null {
  const [, rfc, section] = /^RFC (\d+)(?: ([\d.]+))?/.exec(source) ?? [];
  if (rfc !== undefined) return `https://www.rfc-editor.org/rfc/rfc${rfc}${section ? `#section-${section}` : ''}`;
  if (source.startsWith('OIDC Core')) return 'https://openid.net/specs/openid-connect-core-1_0.html';
  return null;
}
