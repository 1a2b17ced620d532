'use client';

import { useFormContext } from 'react-hook-form';
import { SelectField } from '@/components/form/select-field';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { LimitRow } from '@/components/limits/limit-row';
import type { PolicyValues } from '@/components/limits/policy-values';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import type { EndpointClass } from '@/lib/limiter/meter';

const COVERS: Record<EndpointClass, string> = {
  auth: 'Authorization endpoints and sign-in attempts.',
  sensitive: 'Routes that a rule marks as sensitive.',
  read: 'GET and HEAD.',
  write: 'Every other method.',
};

const FAILURE = [
  { value: 'closed', label: 'Refuse with 503' },
  { value: 'local', label: 'Half the limit, per process' },
];

/** The limits of one class. */
export function ClassCard({ name, disabled }: { name: EndpointClass; disabled: boolean }) {
  const { control } = useFormContext<PolicyValues>();
  return (
    <Card>
      <CardHeader>
        <CardTitle>{CLASS_NAMES[name]}</CardTitle>
        <CardDescription>{COVERS[name]}</CardDescription>
      </CardHeader>
      <CardContent className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-96">
          <LimitRow path={`classes.${name}.ip`} label="Per address" disabled={disabled} />
          <LimitRow path={`classes.${name}.user`} label="Per user" disabled={disabled} />
        </div>
        <SelectField
          control={control}
          name={`classes.${name}.on_store_failure`}
          label={<span className="text-xs font-normal text-muted-foreground">When the store is out of reach</span>}
          options={FAILURE}
          disabled={disabled}
          className="w-56 max-sm:w-full"
        />
      </CardContent>
    </Card>
  );
}
