import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Skeleton } from '@/components/ui/skeleton';
import { Tabs, TabsList, TabsTrigger } from '@/components/ui/tabs';

/** Keeps the selected tab in the URL as `tab`. The first tab is the default. */
export function useListTab<Value extends string>(tabs: readonly [{ value: Value }, ...{ value: Value }[]]) {
  const parser = parseAsStringLiteral(tabs.map(({ value }) => value));
  return useQueryState('tab', parser.withDefault(tabs[0].value).withOptions({ history: 'push' }));
}

export function nameListTab(tabs: readonly { value: string; label: string }[], value: string): string {
  return tabs.find((tab) => tab.value === value)?.label ?? '';
}

/** Placeholder for a tab whose code is loading. */
export const TabSkeleton = () => <Skeleton className="h-80 rounded-lg" />;

interface ListTabsProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string }[];
}

export function ListTabs<Value extends string>({ label, value, onChange, tabs }: ListTabsProps<Value>) {
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
