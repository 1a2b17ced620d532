import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Tabs, TabsList, TabsTrigger } from '@/components/ui/tabs';

/** The selected tab, kept in the URL as `tab`; the first is the default. */
export function useListTab<Value extends string>(values: readonly [Value, ...Value[]]) {
  return useQueryState('tab', parseAsStringLiteral(values).withDefault(values[0]).withOptions({ history: 'push' }));
}

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
