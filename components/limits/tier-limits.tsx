import { useFormContext } from 'react-hook-form';
import { Field } from '@/components/form/field';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
import type { PolicyValues } from '@/components/limits/limit-row';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import { Input } from '@/components/ui/input';

export function TierLimits({ disabled }: { disabled: boolean }) {
  const { register, formState } = useFormContext<PolicyValues>();
  return (
    <Card>
      <CardHeader className="justify-start">
        <CardTitle>Tiers</CardTitle>
        <CardDescription>Requests of an API key in a calendar month (UTC).</CardDescription>
      </CardHeader>
      <CardContent className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {TIERS.map((tier) => (
          <Field key={tier} label={TIER_NAMES[tier]} error={formState.errors.tiers?.[tier]?.message}>
            {(ids) => (
              <Input
                {...ids}
                {...register(`tiers.${tier}`, { valueAsNumber: true })}
                type="number"
                min={0}
                inputMode="numeric"
                disabled={disabled}
                className="tabular-nums [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none"
              />
            )}
          </Field>
        ))}
      </CardContent>
    </Card>
  );
}
