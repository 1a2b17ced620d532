import type { VerifiedBackup } from '@/lib/admin/backup/backup-file';
import { canReplaceSecret, computeFingerprint } from '@/lib/auth/secret-fingerprint';

/** Secrets in the settings of a restore. */
export interface SecretHere {
  /** `AUTH_SECRET`, or the secret file in the folder of the database. Null if neither exists. */
  own: string | null;
  /** `AUTH_SECRET_PREVIOUS`. */
  previous: string | undefined;
}

type Used = Pick<VerifiedBackup, 'secret' | 'secondFactors' | 'webhooks'>;

/** Checks whether a server with these settings starts on the backup and can decrypt its second factors. */
export function isSecretHere({ secret }: Used, { own, previous }: SecretHere): boolean {
  if (secret === null || canReplaceSecret(secret, { AUTH_SECRET_PREVIOUS: previous })) return true;
  return own !== null && computeFingerprint(own) === secret;
}

/** Explains why the backup cannot be restored yet, and the two ways to continue. */
export function explainMissingSecret(used: Used): string {
  return [
    `Its secret is not here (fingerprint ${used.secret}), so no server would start on it:`,
    'put the auth-secret that was kept with it beside the database, or set AUTH_SECRET.',
    `If nobody has it, --new-secret goes on without: ${describeSecretLoss(used)}.`,
  ].join(' ');
}

/** Describes the losses without the secret. */
export function describeSecretLoss({ secondFactors, webhooks }: Pick<Used, 'secondFactors' | 'webhooks'>): string {
  const apps = secondFactors === 1 ? '1 member sets' : `${secondFactors} members set`;
  const receivers = webhooks === 1 ? '1 webhook sends' : `${webhooks} webhooks send`;
  return [
    'everybody signs in again',
    ...(secondFactors === 0 ? [] : [`${apps} the authenticator app up again, with a recovery code`]),
    ...(webhooks === 0 ? [] : [`${receivers} nothing until the URL is set again and the secret rotated`]),
  ].join(', and ');
}
