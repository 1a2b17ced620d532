/** Specifications other than RFCs, by the prefix of their sources. */
const SPECIFICATIONS: Readonly<Record<string, string>> = {
  'OpenID Connect Core': 'https://openid.net/specs/openid-connect-core-1_0.html',
  'OAuth 2.0 Form Post Response Mode': 'https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html',
  'MCP Authorization': 'https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization',
};

/** Returns the URL of a source such as `RFC 9700 2.1` or `OpenID Connect Core 9`, or undefined. */
export function findSourceUrl(source: string): string | undefined {
  const [, rfc, section] = /^RFC (\d+)(?: ([\dA-Z.]+))?$/.exec(source) ?? [];
  if (rfc !== undefined) {
    const kind = /^\d/.test(section ?? '') ? 'section' : 'appendix';
    return `https://www.rfc-editor.org/rfc/rfc${rfc}${section === undefined ? '' : `#${kind}-${section}`}`;
  }
  const [, name = '', part] = /^(.+?)(?: ([\d.]+))?$/.exec(source) ?? [];
  const url = SPECIFICATIONS[name];
  return part === undefined || url === undefined ? url : `${url}#rfc.section.${part}`;
}
