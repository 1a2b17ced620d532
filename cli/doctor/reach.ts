import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createFailed, createOk, createWarning, type DoctorCheck } from '@/cli/doctor/check';
import { DAY, type Millis } from '@/lib/units';

/** Number of days before a certificate's end at which a warning is shown. */
const ENDS_SOON = 14;

interface Reached {
  checks: DoctorCheck[];
  /** True if sending a request makes sense. */
  isReached: boolean;
  /** Address of this machine on that connection. */
  localAddress: string | null;
}

/** Checks how the server is reached: its name, its port and its certificate, one by one. */
export async function checkReachability(url: string, timeoutMs: Millis, now: Millis): Promise<Reached> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const number = Number(port) || (isTls ? 443 : 80);
  const checks: DoctorCheck[] = [];
  const end = (check: DoctorCheck): Reached => ({ checks: [...checks, check], isReached: false, localAddress: null });

  if (isIP(host) === 0) {
    const addresses = await lookup(host, { all: true }).catch((fault: NodeJS.ErrnoException) => fault);
    if (addresses instanceof Error)
      return end(
        createFailed(
          'name',
          `${host} has no address (${addresses.code}).`,
          'Check the name in SLUICE_URL or --url, and the DNS of this machine.',
        ),
      );
    checks.push(createOk('name', `${host} is ${addresses.map(({ address }) => address).join(', ')}.`));
  }
  const socket = await waitForOpen(connect({ host, port: number }), 'connect', timeoutMs);
  if (!('socket' in socket))
    return end(
      createFailed(
        'connection',
        `Port ${number} of ${host} does not answer (${socket.code}).`,
        adviseOnSocketError(socket.code),
      ),
    );
  const { localAddress = null, remoteAddress } = socket.socket;
  socket.socket.destroy();
  checks.push(createOk('connection', `Port ${number} of ${remoteAddress ?? host} answers.`));
  if (isTls) {
    const options = { host, port: number, ...(isIP(host) === 0 ? { servername: host } : {}) };
    const shaken = await waitForOpen(connectTls(options), 'secureConnect', timeoutMs);
    if (!('socket' in shaken))
      return end(
        createFailed('encryption', `The TLS handshake fails (${shaken.code}).`, adviseOnTlsError(shaken.code, now)),
      );
    checks.push(checkCertificate(shaken.socket, now));
    shaken.socket.destroy();
  }
  return { checks, isReached: true, localAddress };
}

/** Resolves to an open socket, or to its error code. */
function waitForOpen<S extends Socket>(
  socket: S,
  event: string,
  timeoutMs: Millis,
): Promise<{ socket: S } | { code: string }> {
  return new Promise((resolve) => {
    const fail = (code: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ code });
    };
    const timer = setTimeout(() => fail('ETIMEDOUT'), timeoutMs);
    socket.once(event, () => {
      clearTimeout(timer);
      resolve({ socket });
    });
    socket.once('error', (fault: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }) =>
      fail(fault.code ?? fault.errors?.[0]?.code ?? fault.message),
    );
  });
}

function adviseOnSocketError(code: string): string {
  return code === 'ECONNREFUSED'
    ? 'Nothing listens there: start Sluice, or check the port in SLUICE_URL or --url.'
    : 'A firewall or a router drops the connection, or the machine is off.';
}

function adviseOnTlsError(code: string, now: Millis): string {
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return 'The certificate is of an authority that this machine does not know: name its file in NODE_EXTRA_CA_CERTS.';
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return `Set the clock of this machine, if it is not ${new Date(now).toISOString()}; else renew the certificate of the server.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'The certificate is of another name: check SLUICE_URL or --url.';
  return 'What listens there may not speak TLS: try http://, or check the proxy in front of Sluice.';
}

function checkCertificate(socket: TLSSocket, now: Millis): DoctorCheck {
  const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - now) / DAY);
  const text = `${socket.getProtocol() ?? 'TLS'}, and the certificate is valid for ${days} days.`;
  return days < ENDS_SOON ? createWarning('encryption', text, 'Renew it.') : createOk('encryption', text);
}
