import { useFormContext, useWatch } from 'react-hook-form';
import { useCatalogue } from '@/components/oauth/assessments/catalogue';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { countUnlocked, listNeeds } from '@/components/oauth/assessments/form/unlocks';
import { Badge } from '@/components/ui/badge';
import { formatCount } from '@/lib/format-number';
import type { Need } from '@/lib/oauth/controls/control';

/** Shows how many more controls `more` makes decidable. */
export function Unlocks({ more }: { more: readonly Need[] }) {
  const { control } = useFormContext<AssessmentValues>();
  const values = useWatch({ control }) as AssessmentValues;
  const controls = useCatalogue();
  const count = controls ? countUnlocked(controls, listNeeds(values), more) : 0;
  return count > 0 ? <Badge variant="primary">{formatCount(count, 'more control')}</Badge> : null;
}
