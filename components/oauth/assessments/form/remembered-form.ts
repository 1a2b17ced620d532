import { z } from 'zod';
import { AssessmentValues, EMPTY_VALUES, removeSecrets } from '@/components/oauth/assessments/form/form-values';
import { createStoredValue } from '@/components/ui/stored-value';

const MOST = 20;
/** Target name of the lab. */
export const LAB = 'lab';

const Kept = z.array(z.tuple([z.string(), z.unknown()]));
/** The newest forms by target, without secrets. */
const FORMS = createStoredValue<z.output<typeof Kept>>(
  'sluice.oauth.assessments',
  (stored) => Kept.safeParse(stored).data,
  [],
);

/** Stores the form of a target, without secrets. */
export function rememberForm(target: string, values: AssessmentValues): void {
  const others = FORMS.read().filter(([other]) => other !== target);
  const newest: z.output<typeof Kept> = [[target, removeSecrets(values)], ...others];
  FORMS.write(newest.slice(0, MOST));
}

/**
 * Returns the stored form of a target. If there is none, only the target is filled in, as any address: the assessment
 * was started elsewhere, and its target may be an issuer or a resource.
 */
export function readStoredForm(target: string): AssessmentValues {
  const stored = FORMS.read().find(([other]) => other === target)?.[1];
  if (stored !== undefined) return removeSecrets(AssessmentValues.parse(stored));
  return target === LAB
    ? { ...EMPTY_VALUES, where: 'lab' }
    : { ...EMPTY_VALUES, where: 'url', url: target, issuer: target };
}
