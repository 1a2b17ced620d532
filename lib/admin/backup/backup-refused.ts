/** A file that is no whole backup, or a restore that is not possible as it is; `message` is a sentence for the operator. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}
