/** An invalid backup, or a restore that cannot run as requested. `message` is a sentence for the operator. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}
