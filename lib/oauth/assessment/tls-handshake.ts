import { connect, type SecureVersion } from 'node:tls';
import type { Millis } from '@/lib/units';

/** Result of a TLS handshake. */
export interface Handshake {
  /** Negotiated version and cipher. Null if the server refused. */
  protocol: string | null;
  cipher: string | null;
  /** Why the certificate is not trusted. Null if it is. */
  distrust: string | null;
  /** Why no handshake took place: the host cannot be reached. */
  unreachable: string | null;
}

/** Versions and ciphers that are offered. By default all. */
export interface HandshakeOptions {
  version?: SecureVersion;
  ciphers?: string;
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
  const { version, ciphers } = options;
  return new Promise((done) => {
    const socket = connect({
      host: address,
      port,
      servername: /^[\d.]+$|:/.test(host) ? '' : host,
      rejectUnauthorized: false,
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
      done({ protocol: null, cipher: null, distrust: null, unreachable: null, ...handshake });
    };
    socket.on('secureConnect', () =>
      end({
        protocol: socket.getProtocol(),
        cipher: socket.getCipher().name,
        distrust: socket.authorized ? null : String(socket.authorizationError),
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
