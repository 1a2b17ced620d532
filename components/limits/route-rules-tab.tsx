import { useMemo, useState } from 'react';
import { Field } from '@/components/form/fields/field';
import { RouteRulesEditor } from '@/components/limits/route-rules-editor';
import { createRouteTester } from '@/components/limits/route-tester';
import { ListError } from '@/components/list/list-error';
import { useRouteRules } from '@/components/route-rules/route-rules';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import { Skeleton } from '@/components/ui/skeleton';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { METHODS } from '@/components/vocabulary/methods';
import type { RouteRules } from '@/lib/contract/route-rules';

export default function RouteRulesTab() {
  const [draft, setDraft] = useState<RouteRules | null>(null);
  const { data, error, refetch } = useRouteRules();
  if (!data) {
    if (error) return <ListError error={error} onRetry={() => void refetch()} />;
    return <Skeleton className="h-64 rounded-lg" />;
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <RouteRulesEditor saved={data.value} etag={data.etag} managed={data.managed} onDraft={setDraft} />
      <RouteTester rules={draft ?? data.value} />
    </div>
  );
}

function RouteTester({ rules }: { rules: RouteRules }) {
  const [method, setMethod] = useState('GET');
  const [path, setPath] = useState('/api/reports/42');
  const test = useMemo(() => createRouteTester(rules), [rules]);
  const result = useMemo(() => test(method, path), [test, method, path]);
  return (
    <div className="min-w-0 lg:sticky lg:top-6">
      <TitledCard
        header="block"
        title="Test a route"
        description="Applies the rules on this page, saved or not."
        className="flex flex-col gap-3"
      >
        <Field label="Method">
          {(ids) => (
            <NativeSelect
              {...ids}
              className="h-8 w-full"
              value={method}
              onChange={(event) => setMethod(event.target.value)}
              options={METHODS}
            />
          )}
        </Field>
        <Field label="Path">
          {(ids) => (
            <Input
              {...ids}
              value={path}
              onChange={(event) => setPath(event.target.value)}
              className="font-mono"
              spellCheck={false}
            />
          )}
        </Field>
        <output aria-live="polite" className="flex min-h-12 flex-col gap-1 rounded-md bg-muted px-3 py-2.5 text-sm">
          {result ? (
            <>
              <span className="flex items-center gap-2 font-medium">
                {CLASS_NAMES[result.class]}
                <Badge variant="outline">costs {result.cost}</Badge>
              </span>
              <span className="text-xs text-muted-foreground">
                {(result.limits ?? []).map(({ name, subject }) => `Also under ${name} by ${subject}. `)}
                {result.rule === null ? 'No rule matches; this is the default.' : `By rule ${result.rule + 1}.`}
              </span>
            </>
          ) : (
            <span className="text-muted-foreground">A path starts with a slash.</span>
          )}
        </output>
      </TitledCard>
    </div>
  );
}
