import { useController, useFormContext } from 'react-hook-form';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { LimitRow, type PolicyValues } from '@/components/limits/limit-row';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import type { EndpointClass } from '@/lib/limiter/meter';

const COVERS: Record<EndpointClass, string> = {
  auth: 'Authorization endpoints and sign-in attempts.',
  sensitive: 'Routes that a rule marks as sensitive.',
  read: 'GET and HEAD.',
  write: 'Every other method.',
};

export function ClassCard({ name, disabled }: { name: EndpointClass; disabled: boolean }) {
  const { control } = useFormContext<PolicyValues>();
  const { field } = useController({ control, name: `classes.${name}.on_store_failure` });
  return (
    <Card>
      <CardHeader className="justify-start">
        <CardTitle>{CLASS_NAMES[name]}</CardTitle>
        <CardDescription>{COVERS[name]}</CardDescription>
      </CardHeader>
      <CardContent>
        <LimitRow path={`classes.${name}.ip`} group={CLASS_NAMES[name]} label="Per address" disabled={disabled} />
        <LimitRow path={`classes.${name}.user`} group={CLASS_NAMES[name]} label="Per user" disabled={disabled} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
          <span className="w-34 text-sm">If the store is down</span>
          <Segmented
            label={`${CLASS_NAMES[name]}, if the store is down`}
            value={field.value}
            onChange={field.onChange}
            disabled={disabled}
            options={[
              { value: 'closed', label: 'Refuse' },
              { value: 'local', label: 'Allow half' },
            ]}
          />
          <span className="min-w-0 flex-1 basis-56 text-xs text-muted-foreground">
            {field.value === 'closed'
              ? 'Answers 503 while the counter store is down.'
              : 'Each process allows half the limit on its own while the counter store is down.'}
          </span>
        </div>
      </CardContent>
    </Card>
  );
}
