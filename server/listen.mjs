// @ts-check
// Where the server listens, and the sentences for when it cannot.
import { createServer } from 'node:net';

/** The value of `PORT`, 3000 by default. @param {string | undefined} value @throws {Error} for the operator */
export function readPort(value) {
  if (value === undefined || value.trim() === '') return 3000;
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error('Invalid configuration.\nPORT must be a number from 0 to 65535.');
}

/**
 * Checks that the address is free, before a database is made or the password of a first owner is shown once.
 * @param {number} port
 * @param {string | undefined} host
 * @throws {Error} with a sentence for the operator
 */
export async function requireFreeAddress(port, host) {
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once('error', (error) => reject(new Error(cannotListen(error, port, host))));
    probe.listen(port, host, () => probe.close(resolve));
  });
}

/** @param {NodeJS.ErrnoException} error @param {number} port @param {string | undefined} host */
export function cannotListen({ code, message }, port, host) {
  if (code === 'EADDRINUSE') return `PORT ${port} is taken: another program listens there.`;
  if (code === 'EACCES') return `PORT ${port} may not be listened on by this user.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOSTNAME_BIND names ${host}, which is no address of this machine (${code}).`;
  return `Cannot listen on PORT ${port}: ${message}.`;
}
