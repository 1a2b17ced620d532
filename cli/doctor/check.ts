/** One thing that doctor looked at. */
export interface DoctorCheck {
  check:
    | 'address'
    | 'name'
    | 'connection'
    | 'encryption'
    | 'server'
    | 'parts'
    | 'token'
    | 'versions'
    | 'clock'
    | 'proxy';
  /** `skipped`: it could not be looked at. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was seen. */
  text: string;
  /** What to do about it. */
  advice?: string;
}

export const ok = (check: DoctorCheck['check'], text: string): DoctorCheck => ({ check, state: 'ok', text });
export const skipped = (check: DoctorCheck['check'], text: string): DoctorCheck => ({ check, state: 'skipped', text });
export const warning = (check: DoctorCheck['check'], text: string, advice: string): DoctorCheck => ({
  ...{ check, text, advice },
  state: 'warning',
});
export const failed = (check: DoctorCheck['check'], text: string, advice: string): DoctorCheck => ({
  ...{ check, text, advice },
  state: 'failed',
});
