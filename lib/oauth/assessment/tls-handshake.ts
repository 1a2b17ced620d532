import { connect, type SecureVersion } from 'node:tls';
import type { Millis } from '@/lib/units';

/** What a TLS handshake came to. */
export interface Handshake {
  /** The negotiated version and cipher; null when the server refused. */
  protocol: string | null;
  cipher: string | null;
  /** Why the certificate is not trusted; null when it is. */
  distrust: string | null;
  /** Why there was no handshake at all: the host cannot be reached. */
  unreachable: string | null;
}

/** What is offered: everything by default. */
export interface HandshakeOptions {
  version?: SecureVersion;
  ciphers?: string;
}

/** Ciphers as old as TLS 1.0 need a lower security level of OpenSSL to be offered at all. */
const OLD_CIPHERS = 'ALL:@SECLEVEL=0';

/**
 * Shakes hands with a server, at one version of TLS where it is given.
 * @param address the address to connect to, already checked; the name is sent for the certificate
 * @param timeoutMs for the whole handshake, however steadily its bytes come
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
