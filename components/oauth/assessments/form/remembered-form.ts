import { z } from 'zod';
import { AssessmentValues, EMPTY_VALUES, removeSecrets } from '@/components/oauth/assessments/form/form-values';

/** Storage key in localStorage for the newest forms by target, without secrets. */
const NAME = 'sluice.oauth.assessments';
const MOST = 20;
/** Target name of the lab. */
export const LAB = 'lab';

const Kept = z.array(z.tuple([z.string(), z.unknown()]));

function read(): z.output<typeof Kept> {
  try {
    return Kept.catch([]).parse(JSON.parse(localStorage.getItem(NAME) ?? '[]'));
  } catch {
    return [];
  }
}

/** Stores the form of a target, without secrets. */
export function rememberForm(target: string, values: AssessmentValues): void {
  const others = read().filter(([other]) => other !== target);
  try {
    localStorage.setItem(NAME, JSON.stringify([[target, removeSecrets(values)], ...others].slice(0, MOST)));
  } catch {
    // The storage is full, so the form is not stored.
  }
}

/** Returns the stored form of a target. If there is none, only the target is filled in. */
export function readStoredForm(target: string): AssessmentValues {
  const stored = read().find(([other]) => other === target)?.[1];
  if (stored !== undefined) return removeSecrets(AssessmentValues.parse(stored));
  return target === LAB ? { ...EMPTY_VALUES, where: 'lab' } : { ...EMPTY_VALUES, issuer: target };
}
