/** Specifications other than RFCs, by the prefix of their sources. `#` begins the anchor of a section. */
const SPECIFICATIONS: Readonly<Record<string, string>> = {
  'OpenID Connect Core': 'https://openid.net/specs/openid-connect-core-1_0.html#rfc.section.',
  'OpenID Connect RP-Initiated Logout': 'https://openid.net/specs/openid-connect-rpinitiated-1_0.html#rfc.section.',
  'OAuth 2.0 Form Post Response Mode':
    'https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html#rfc.section.',
  'FAPI 2.0 Security Profile': 'https://openid.net/specs/fapi-security-profile-2_0-final.html#section-',
  'MCP Authorization': 'https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization',
};

/** Returns the URL of a source such as `RFC 9700 2.1` or `OpenID Connect Core 9`, or undefined. */
export function findSourceUrl(source: string): string | undefined {
  const [, rfc, section] = /^RFC (\d+)(?: ([\dA-Z.]+))?$/.exec(source) ?? [];
  if (rfc !== undefined) {
    const kind = /^\d/.test(section ?? '') ? 'section' : 'appendix';
    return `https://www.rfc-editor.org/rfc/rfc${rfc}${section === undefined ? '' : `#${kind}-${section}`}`;
  }
  const [, name = '', part] = /^(.+?)(?: ([\d.]+)(?: \(\d+\))?)?$/.exec(source) ?? [];
  const url = SPECIFICATIONS[name];
  return part === undefined ? url?.split('#')[0] : url && url + part;
}
