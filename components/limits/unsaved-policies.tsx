'use client';

import { useFormContext, useWatch } from 'react-hook-form';
import { changesOf } from '@/components/limits/changes-of';
import { DryRunSummary } from '@/components/limits/dry-run-summary';
import type { PolicyValues } from '@/components/limits/policy-values';
import { SaveBar } from '@/components/limits/save-bar';
import { type Policies, PoliciesSchema } from '@/lib/contract/policies';

/** The bar under changed policies: what they would have refused, and the way to save or to discard them. */
export function UnsavedPolicies({ policies, onDiscard }: { policies: Policies; onDiscard: () => void }) {
  const { control, formState } = useFormContext<PolicyValues>();
  const values = PoliciesSchema.safeParse(useWatch({ control }));
  const patch = values.success ? (changesOf(policies, values.data) ?? {}) : null;
  return (
    <SaveBar pending={formState.isSubmitting} onDiscard={onDiscard}>
      <DryRunSummary patch={patch} />
    </SaveBar>
  );
}
