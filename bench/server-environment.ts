import { join } from 'node:path';

/** Admin token of every server that is measured. */
export const TOKEN = 'bench-admin-token-0123456789-0123456789';

/** Returns the variables of a server on loopback, with a database in `folder`. */
export function serverEnvironment(port: number, folder: string, policies: object): Record<string, string> {
  return {
    PORT: String(port),
    HOSTNAME_BIND: '127.0.0.1',
    DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
    SLUICE_ADMIN_TOKEN: TOKEN,
    SLUICE_ADMIN_PASSWORD: TOKEN,
    SLUICE_LOG_LEVEL: 'error',
    SLUICE_DRAIN_SECONDS: '0',
    SLUICE_POLICIES: JSON.stringify(policies),
  };
}
