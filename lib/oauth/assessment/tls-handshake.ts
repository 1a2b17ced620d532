import { connect, type SecureVersion } from 'node:tls';
import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import type { Millis } from '@/lib/units';

/** Result of a TLS handshake. */
export interface Handshake {
  /** Negotiated version and cipher. Null if the server refused. */
  protocol: string | null;
  cipher: string | null;
  /** Why the certificate is not trusted. Null if it is. */
  distrust: string | null;
  /** True if the server asked for a certificate of the client (RFC 8446 section 4.3.2). */
  asksForCertificate: boolean;
  /** Why no handshake took place: the host cannot be reached. */
  unreachable: string | null;
}

/** Versions and ciphers that are offered. By default all. */
export interface HandshakeOptions {
  version?: SecureVersion;
  ciphers?: string;
  /** Certificates of authorities that are trusted, as PEM. By default those of Node. */
  authorities?: string;
  /** Presented if the server asks for one. */
  certificate?: ClientCertificate;
}

/** Returns whether the code of a Node error means that TLS failed. */
export const isHandshakeCode = (code: string): boolean => code === 'EPROTO' || code.startsWith('ERR_SSL_');

/** Returns whether a server may have ended a connection because of a certificate, or because there was none. */
export function isConnectionRefusal(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return isHandshakeCode(code) || code === 'ECONNRESET' || code === 'EPIPE';
}

/** OpenSSL offers ciphers of TLS 1.0 only at a lower security level. */
const OLD_CIPHERS = 'ALL:@SECLEVEL=0';

/**
 * Makes a TLS handshake with a server, optionally at one version of TLS.
 * @param address the checked address to connect to; the host name is sent for the certificate
 * @param timeoutMs time limit of the whole handshake, even if bytes keep arriving
 */
export function shakeHands(
  { host, port, address }: { host: string; port: number; address: string },
  options: HandshakeOptions = {},
  timeoutMs: Millis = 5_000,
): Promise<Handshake> {
  const { version, ciphers, certificate, authorities: ca } = options;
  return new Promise((done) => {
    const socket = connect({
      host: address,
      port,
      servername: /^[\d.]+$|:/.test(host) ? '' : host,
      rejectUnauthorized: false,
      ca,
      ...(certificate === undefined ? {} : { cert: certificate.chain, key: certificate.key }),
      ...(version === undefined ? {} : { minVersion: version, maxVersion: version }),
      ...(ciphers !== undefined
        ? { ciphers }
        : version === 'TLSv1' || version === 'TLSv1.1'
          ? { ciphers: OLD_CIPHERS }
          : {}),
    });
    const end = (handshake: Partial<Handshake>) => {
      clearTimeout(timer);
      socket.destroy();
      done({
        ...{ protocol: null, cipher: null, distrust: null, asksForCertificate: false, unreachable: null },
        ...handshake,
      });
    };
    socket.on('secureConnect', () =>
      end({
        protocol: socket.getProtocol(),
        cipher: socket.getCipher().name,
        distrust: socket.authorized ? null : String(socket.authorizationError),
        // A client shares signature algorithms only with the request for its certificate.
        asksForCertificate: socket.getSharedSigalgs().length > 0,
      }),
    );
    const timer = setTimeout(() => end({ unreachable: `no answer in ${timeoutMs / 1_000} seconds` }), timeoutMs);
    socket.on('close', () => end({}));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const isNetwork = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'].includes(
        error.code ?? '',
      );
      end(isNetwork ? { unreachable: error.code ?? error.message } : {});
    });
  });
}
