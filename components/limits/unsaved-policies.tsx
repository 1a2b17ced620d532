import { useFormContext, useWatch } from 'react-hook-form';
import { DryRunSummary } from '@/components/limits/dry-run-summary';
import { listPolicyChanges, namePolicyField } from '@/components/limits/policy-changes';
import type { PolicyValues } from '@/components/limits/policy-form-values';
import { SaveBar } from '@/components/limits/save-bar';
import { TryChanges } from '@/components/limits/try-changes';
import { buildMergePatch } from '@/components/policies/policies';
import { type Policies, PoliciesSchema } from '@/lib/contract/policies';

/** Shows the unsaved changes and the traffic they would affect. They can be saved, discarded, or tried as a candidate. */
export default function UnsavedPolicies({ policies, onDiscard }: { policies: Policies; onDiscard: () => void }) {
  const { control } = useFormContext<PolicyValues>();
  const { reason: _, ...values } = useWatch({ control }) as PolicyValues;
  const changes = listPolicyChanges(policies, values);
  const patch = PoliciesSchema.safeParse(values).success ? buildMergePatch(policies, values) : undefined;
  return (
    <SaveBar
      onDiscard={onDiscard}
      nameField={namePolicyField}
      reasonExample="Scrapers at night, agreed with support"
      instead={<TryChanges saved={policies} changes={changes} onDiscard={onDiscard} />}
    >
      <DryRunSummary changes={changes} patch={patch ?? null} />
    </SaveBar>
  );
}
