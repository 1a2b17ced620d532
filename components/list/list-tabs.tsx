'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Tabs, TabsList, TabsTrigger } from '@/components/ui/tabs';

/** Which part of a list is shown, kept in the address as `tab`; the first one is the usual one. */
export function useListTab<Value extends string>(values: readonly [Value, ...Value[]]) {
  return useQueryState('tab', parseAsStringLiteral(values).withDefault(values[0]).withOptions({ history: 'push' }));
}

/** The tabs above a list. */
export function ListTabs<Value extends string>({
  label,
  value,
  onChange,
  tabs,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string }[];
}) {
  return (
    <Tabs value={value} onValueChange={(next) => onChange(next as Value)} activationMode="manual">
      <TabsList aria-label={label}>
        {tabs.map((tab) => (
          <TabsTrigger key={tab.value} value={tab.value} aria-controls={undefined}>
            {tab.label}
          </TabsTrigger>
        ))}
      </TabsList>
    </Tabs>
  );
}
