import { members } from '@/drizzle/schema';
import { change, Overtaken } from '@/lib/admin/change';
import { buildMemberRecord } from '@/lib/admin/members/row';
import { buildRowColumns, createRandomUuid } from '@/lib/admin/new-row';
import { hashUncheckedPassword } from '@/lib/auth/password';
import { findPasswordFault } from '@/lib/auth/password-strength';
import { ConfigError } from '@/lib/config/config';
import { parseEmail } from '@/lib/contract/fields/text';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';

/**
 * Creates the first owner of an empty installation, from `SLUICE_ADMIN_EMAIL` and `SLUICE_ADMIN_PASSWORD`.
 * Generates the password if that variable is missing. If several processes start together, exactly one creates the
 * owner. Later values of the variables never change a member.
 *
 * @returns null if there is a member already; `password` is null if the environment provides it
 * @throws ConfigError naming `SLUICE_ADMIN_EMAIL`
 */
export async function bootstrap(services: Services): Promise<{ email: string; password: string | null } | null> {
  const { config, database, randomBytes } = services;
  const isEmpty = async () => (await database.drizzle.$count(members)) === 0;
  if (!(await isEmpty())) return null;
  const email = parseEmail(config.SLUICE_ADMIN_EMAIL);
  if (email === null) throw new ConfigError('SLUICE_ADMIN_EMAIL must be an e-mail address with an ASCII domain.');
  // 24 characters of base64url hold 144 random bits.
  const generated = Buffer.from(randomBytes(18)).toString('base64url');
  const password = config.SLUICE_ADMIN_PASSWORD ?? generated;
  const fault = await findPasswordFault(password, { email, isOnlyFactor: true });
  // The operator of the server decides, as with every variable. The owner can set another password at any time.
  if (fault !== null) services.logger.warn(`SLUICE_ADMIN_PASSWORD is weak: it ${fault}`);
  const passwordHash = await hashUncheckedPassword(password);
  const context = createSystemContext(services);
  try {
    await change(context, async (revision) => {
      if (!(await isEmpty())) throw new Overtaken();
      const row = { id: createRandomUuid(randomBytes), email, name: null, passwordHash, removedAt: null };
      const owner = { ...row, role: 'owner' as const, ...buildRowColumns(context, revision) };
      return {
        audit: { action: 'member.bootstrap', target: owner.id, after: buildMemberRecord(owner) },
        statements: [database.drizzle.insert(members).values(owner)],
      };
    });
  } catch (error) {
    if (error instanceof Overtaken) return null;
    throw error;
  }
  return { email, password: config.SLUICE_ADMIN_PASSWORD === undefined ? generated : null };
}
