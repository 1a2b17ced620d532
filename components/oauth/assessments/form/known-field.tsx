import { useController, useFormContext } from 'react-hook-form';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { Segmented } from '@/components/ui/segmented';

/** Fields that are yes, no or unknown. */
type KnownName = 'several_redirect_uris' | `${'client' | 'other_client' | 'native_client'}.bound_tokens`;

/** Field for a property of a client that the person may not know: yes, no, or not known. */
export function KnownField({ name, label, hint }: { name: KnownName; label: string; hint: string }) {
  const { control } = useFormContext<AssessmentValues>();
  const { field } = useController({ control, name });
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">{label}?</span>
      <Segmented
        label={label}
        value={field.value}
        onChange={field.onChange}
        options={[
          { value: 'unknown', label: 'Not known' },
          { value: 'no', label: 'No' },
          { value: 'yes', label: 'Yes' },
        ]}
      />
      <p className="text-xs text-muted-foreground">{hint}</p>
    </div>
  );
}
