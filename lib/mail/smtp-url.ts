/** The text is no address of a mail server. `message` continues a sentence that starts with the variable's name. */
export class SmtpUrlError extends Error {
  override readonly name = 'SmtpUrlError';
}

/** A mail server that accepts mail, with nodemailer's names of options. */
export interface SmtpServer {
  host: string;
  port: number;
  /** If true, TLS from the first byte. */
  secure: boolean;
  /** If true, the connection fails without STARTTLS. */
  requireTLS: boolean;
  /** If true, STARTTLS is not used, even if the server offers it. */
  ignoreTLS: boolean;
  auth?: { user: string; pass: string };
}

/** Default ports (RFC 6409 3.1 and RFC 8314 3.3). */
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const OPTIONS = ['requireTLS', 'ignoreTLS'];

/**
 * Parses the address of a mail server: `smtp://[user:password@]host[:port]`, upgraded by STARTTLS if the server offers
 * it, or `smtps://` for TLS from the first byte.
 *
 * With a password STARTTLS is required, except on loopback, because an attacker who suppresses the offer could read the
 * password. `?requireTLS=true` and `?ignoreTLS=true` override this.
 * @throws SmtpUrlError
 */
export function parseSmtpUrl(address: string): SmtpServer {
  if (!URL.canParse(address)) throw new SmtpUrlError('is not a URL');
  const { protocol, hostname, port, pathname, searchParams, hash, username, password } = new URL(address);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new SmtpUrlError('must be smtp:// or smtps://');
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new SmtpUrlError('names no host');
  if (!/^\/?$/.test(pathname) || hash !== '') throw new SmtpUrlError('must have neither a path nor a fragment');
  if ((username === '') !== (password === '')) throw new SmtpUrlError('must have both a user and a password, or none');
  for (const [name, value] of searchParams)
    if (!OPTIONS.includes(name) || !/^(true|false)$/.test(value))
      throw new SmtpUrlError('may have the options requireTLS and ignoreTLS, which are true or false');
  const ignoreTLS = searchParams.get('ignoreTLS') === 'true';
  const requireTls = searchParams.get('requireTLS');
  if (ignoreTLS && requireTls === 'true') throw new SmtpUrlError('cannot both require TLS and ignore it');
  const hasPassword = password !== '';
  return {
    host,
    port: port === '' ? PORTS[protocol] : Number(port),
    secure: protocol === 'smtps:',
    requireTLS: requireTls === null ? hasPassword && !ignoreTLS && !isLoopback(host) : requireTls === 'true',
    ignoreTLS,
    ...(hasPassword ? { auth: { user: decodePart(username), pass: decodePart(password) } } : {}),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SmtpUrlError('has a % in its user or password that should be %25');
  }
}
