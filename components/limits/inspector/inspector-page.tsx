'use client';

import { ScanSearch } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { Counters } from '@/components/limits/inspector/counters';
import { InspectForm } from '@/components/limits/inspector/inspect-form';
import { InspectedRange } from '@/components/limits/inspector/inspected-range';
import { isWideRange } from '@/components/links/target';
import { EmptyState } from '@/components/list/empty-state';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';
import { CallerTypeSchema } from '@/lib/contract/fields/enumerations';

const ADDRESS = {
  type: parseAsStringLiteral(CallerTypeSchema.options).withDefault('ip'),
  identifier: parseAsString.withDefault(''),
};

export function InspectorPage() {
  const [target, setTarget] = useQueryStates(ADDRESS, { history: 'push' });
  return (
    <>
      {target.identifier === '' || target.type === 'api_key' ? null : <PageTitle name={target.identifier} />}
      <PageHeader
        title="Inspector"
        description="How much of each limit is used right now, and where the limit comes from."
      />
      <InspectForm
        key={`${target.type} ${target.identifier}`}
        initial={target}
        onSubmit={(next) => void setTarget(next)}
      />
      {target.identifier === '' ? (
        <EmptyState icon={ScanSearch} title="Choose who to inspect">
          Enter an address, a user, an API key or an OAuth client above, or choose “Inspect counters” in any menu.
        </EmptyState>
      ) : isWideRange(target) ? (
        <InspectedRange range={target.identifier} />
      ) : (
        <Counters target={target} />
      )}
    </>
  );
}
