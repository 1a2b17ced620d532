import { and, eq, isNull } from 'drizzle-orm';
import { members, recoveryCodes, secondFactors } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import { requirePresentMember } from '@/lib/admin/members/row';
import { requireSamePassword } from '@/lib/admin/members/same-password';
import { readSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { createTooManyGuessesError, reauthenticate } from '@/lib/admin/session/reauthenticate';
import { hashNewPassword } from '@/lib/auth/password';
import {
  findSecondFactor,
  findUnusedStep,
  type SecondFactorRow,
  sealSecret,
  tryCode,
} from '@/lib/auth/second-factor/ask-second-factor';
import { generateRecoveryCodes } from '@/lib/auth/second-factor/recovery-codes';
import { dropSecondFactor, replaceRecoveryCodes } from '@/lib/auth/second-factor/rows';
import { buildTotpUri, generateTotpSecret } from '@/lib/auth/second-factor/totp';
import { deleteSessions } from '@/lib/auth/session';
import { countCharacters, SHORTEST_ONLY_FACTOR } from '@/lib/contract/fields/password';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import {
  confirmSecondFactor as contractOfConfirm,
  getSecondFactor as contractOfGet,
  renewRecoveryCodes as contractOfRenew,
  startSecondFactor as contractOfStart,
  turnOffSecondFactor as contractOfTurnOff,
} from '@/lib/contract/second-factor';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

const createAlreadyOnError = () => new ApiError('conflict', 'Your second factor is on already.');
const createNoFactorError = () => new ApiError('conflict', 'You have no second factor.');

export const getSecondFactor = implement(contractOfGet, async ({ services, actor }) => {
  const { database } = services;
  const required = (await readSignInSettings(database)).second_factor === 'required';
  const [kind, id = ''] = actor.id.split(':');
  if (kind !== 'member')
    return { enabled: false, enabled_at: null, recovery_codes_left: 0, required, available: false };
  const { passwordHash } = await requirePresentMember(database, { id });
  const confirmedAt = (await findSecondFactor(database, id))?.confirmedAt ?? null;
  return {
    enabled: confirmedAt !== null,
    enabled_at: formatTimestampOrNull(confirmedAt),
    recovery_codes_left: await database.drizzle.$count(recoveryCodes, eq(recoveryCodes.memberId, id)),
    required,
    available: passwordHash !== null,
  };
});

/** Stores a new secret, which stays inactive until a code confirms it. */
export const startSecondFactor = implement(contractOfStart, async (context, { body }) => {
  const { services, now, facts } = context;
  const { database, randomBytes } = services;
  const proven = await reauthenticate(context, { field: 'password', password: body.password });
  const { id, email } = proven;
  const secret = generateTotpSecret(randomBytes);
  const row = { secret: sealSecret(secret, id, services), createdAt: now, lastStep: 0 };
  await change(context, async () => {
    requireSamePassword(await requirePresentMember(database, { id }), proven);
    if ((await findSecondFactor(database, id))?.confirmedAt != null) throw createAlreadyOnError();
    const unconfirmed = isNull(secondFactors.confirmedAt);
    return {
      audit: { action: 'member.start_second_factor', target: id },
      statements: [
        database.drizzle
          .insert(secondFactors)
          .values({ memberId: id, ...row })
          .onConflictDoUpdate({ target: secondFactors.memberId, set: row, setWhere: unconfirmed }),
      ],
    };
  });
  return { secret, url: buildTotpUri(secret, email, new URL(facts.origin).host) };
});

/** Activates the second factor. Sign-ins need a code from now on. */
export const confirmSecondFactor = implement(contractOfConfirm, async (context, { body }) => {
  const { services, actor, now } = context;
  const { database, randomBytes } = services;
  const [kind, id = ''] = actor.id.split(':');
  if (kind !== 'member') throw new ApiError('forbidden', 'Only a signed-in member has a second factor.');
  const asking = await context.facts.session();
  const codes = generateRecoveryCodes(randomBytes);
  const requirePendingFactor = async () => {
    const factor = await findSecondFactor(database, id);
    if (factor === null) throw new ApiError('conflict', 'Start to set it up first.');
    if (factor.confirmedAt !== null) throw createAlreadyOnError();
    return factor;
  };
  const findAcceptedStep = (factor: SecondFactorRow) =>
    findUnusedStep(services, factor, body.code.replaceAll(/\s/g, ''));
  const started = await requirePendingFactor();
  if (context.preview === undefined) {
    const tried = await tryCode(services, id, async () => findAcceptedStep(started) !== null);
    if (tried.kind === 'locked') throw createTooManyGuessesError(tried.seconds);
  }
  return change(context, async () => {
    const factor = await requirePendingFactor();
    // A preview does not check the code.
    const step = context.preview === undefined ? findAcceptedStep(factor) : factor.lastStep;
    if (step === null) throw createInvalidField('code', 'is wrong. Enter the code that the app shows');
    const mine = and(eq(secondFactors.memberId, id), isNull(secondFactors.confirmedAt));
    return {
      audit: { action: 'member.enable_second_factor', target: id, after: { second_factor: true } },
      statements: [
        database.drizzle.update(secondFactors).set({ confirmedAt: now, lastStep: step }).where(mine),
        ...replaceRecoveryCodes(database, id, codes),
        deleteSessions(database, id, asking?.sessionId ?? null),
      ],
      result: { recovery_codes: codes },
    };
  });
});

/**
 * Removes the second factor. A password that is too short to be the only factor is replaced in the same change: it was
 * accepted because sign-in needed a code, too, or before the length was required.
 */
export const turnOffSecondFactor = implement(contractOfTurnOff, async (context, { body }) => {
  const { database } = context.services;
  const { password, new_password: newPassword } = body;
  const isOnlyFactor = (await readSignInSettings(database)).second_factor !== 'required';
  const isTooShort = isOnlyFactor && countCharacters(password) < SHORTEST_ONLY_FACTOR;
  // Comes before the proof, which uses a code up. A preview has no password.
  if (context.preview === undefined && isTooShort && newPassword === undefined)
    throw createInvalidField(
      'new_password',
      `must replace your password, which has fewer than ${SHORTEST_ONLY_FACTOR} characters`,
    );
  const use = { email: context.actor.name, isOnlyFactor };
  const passwordHash = newPassword === undefined ? undefined : await hashNewPassword('new_password', newPassword, use);
  const proven = await reauthenticateWithCode(context, body);
  const { id } = proven;
  const asking = await context.facts.session();
  return change(context, async (revision) => {
    requireSamePassword(await requirePresentMember(database, { id }), proven);
    return {
      audit: {
        action: 'member.disable_second_factor',
        target: id,
        before: { second_factor: true },
        ...(passwordHash === undefined ? {} : { after: { second_factor: false, new_password: true } }),
      },
      statements: [
        ...dropSecondFactor(database, id),
        ...(passwordHash === undefined
          ? []
          : [
              database.drizzle.update(members).set({ passwordHash, revision }).where(eq(members.id, id)),
              endInvitation(database, id),
              deleteSessions(database, id, asking?.sessionId ?? null),
            ]),
      ],
    };
  });
});

export const renewRecoveryCodes = implement(contractOfRenew, async (context, { body }) => {
  const proven = await reauthenticateWithCode(context, body);
  const { id } = proven;
  const { database, randomBytes } = context.services;
  const codes = generateRecoveryCodes(randomBytes);
  return change(context, async () => {
    requireSamePassword(await requirePresentMember(database, { id }), proven);
    if ((await findSecondFactor(database, id))?.confirmedAt == null) throw createNoFactorError();
    return {
      audit: { action: 'member.renew_recovery_codes', target: id },
      statements: replaceRecoveryCodes(database, id, codes),
      result: { recovery_codes: codes },
    };
  });
});

/** Checks the member's password and second factor. @throws ApiError conflict if the member has no second factor */
async function reauthenticateWithCode(context: Context, { password, code }: { password: string; code: string }) {
  const [, asking = ''] = context.actor.id.split(':');
  const factor = await findSecondFactor(context.services.database, asking);
  const proven = await reauthenticate(context, { field: 'password', password, code });
  if (factor?.confirmedAt == null) throw createNoFactorError();
  return proven;
}
