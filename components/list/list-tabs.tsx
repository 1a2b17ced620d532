import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Skeleton } from '@/components/ui/skeleton';
import { Tabs, TabsList, TabsTrigger } from '@/components/ui/tabs';

/** The selected tab, kept in the URL as `tab`; the first is the default. */
export function useListTab<Value extends string>(tabs: readonly [{ value: Value }, ...{ value: Value }[]]) {
  const parser = parseAsStringLiteral(tabs.map(({ value }) => value));
  return useQueryState('tab', parser.withDefault(tabs[0].value).withOptions({ history: 'push' }));
}

/** In the place of a tab whose code is being fetched. */
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
