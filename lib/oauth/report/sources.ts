/** Where a source such as `RFC 9700 2.1` can be read, or undefined. */
export function sourceUrl(source: string): string | undefined {
  const [, rfc, section] = /^RFC (\d+)(?: ([\d.]+))?/.exec(source) ?? [];
  if (rfc !== undefined) return `https://www.rfc-editor.org/rfc/rfc${rfc}${section ? `#section-${section}` : ''}`;
  if (source.startsWith('OpenID Connect Core')) return 'https://openid.net/specs/openid-connect-core-1_0.html';
  if (source.startsWith('MCP')) return 'https://modelcontextprotocol.io/specification/draft/basic/authorization';
  return undefined;
}
