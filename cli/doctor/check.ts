/** One check of `sluice doctor`. */
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
  /** `skipped` means that the check could not run. */
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** Result of the check, in words. */
  text: string;
  /** Advice on how to fix it. */
  advice?: string;
}

export const createOk = (check: DoctorCheck['check'], text: string): DoctorCheck => ({ check, state: 'ok', text });
export const createSkipped = (check: DoctorCheck['check']): DoctorCheck => ({
  ...{ check, text: 'Needs a token that may read.' },
  state: 'skipped',
});
export const createWarning = (check: DoctorCheck['check'], text: string, advice: string): DoctorCheck => ({
  ...{ check, text, advice },
  state: 'warning',
});
export const createFailed = (check: DoctorCheck['check'], text: string, advice: string): DoctorCheck => ({
  ...{ check, text, advice },
  state: 'failed',
});
