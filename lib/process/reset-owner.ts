import { randomBytes } from 'node:crypto';
import { type OwnerReset, resetOwner } from '@/lib/admin/members/reset-owner';
import { openWithoutMigrating } from '@/lib/process/start-services';

/**
 * Resets an owner while a server may run, and returns the text for the operator.
 * @throws ConfigError, UnusableDatabase, NoSuchOwner
 */
export async function resetOwnerHere(reset: OwnerReset): Promise<string> {
  const { config, database } = await openWithoutMigrating();
  try {
    const origin = config.SLUICE_PUBLIC_URL ?? `http://localhost:${config.PORT}`;
    return formatNotice(await resetOwner({ database, clock: () => Date.now(), randomBytes, origin }, reset));
  } finally {
    database.close();
  }
}

const formatNotice = ({ email, link, needsCode }: Awaited<ReturnType<typeof resetOwner>>) => `
${email} sets a new password with this link, once, until ${link.expires_at}:

  ${link.url}

The password before does not work any more, and all sessions of the member have ended.
${
  needsCode ? 'The second factor is still asked for; run this again with --second-factor to take it away, too.\n' : ''
}`;
