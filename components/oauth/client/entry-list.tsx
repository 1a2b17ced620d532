import { useClient } from '@/components/oauth/client/use-client';
import { ExchangeList } from '@/components/oauth/exchange-list';
import { SafeText } from '@/components/oauth/safe-text';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import { CLIENT_STEPS } from '@/lib/oauth/client/client-step';

/** Lists every exchange since the environment was chosen, discovery included. */
export function EntryList() {
  const { state, discovery } = useClient();
  const discovered = discovery.found?.exchanges ?? [];
  if (discovered.length + state.entries.length === 0) return null;
  return (
    <TitledCard title="Exchanges">
      {discovered.length === 0 ? null : <ExchangeList exchanges={discovered} />}
      {state.entries.map((entry) =>
        entry.returned === null ? (
          <ExchangeList key={entry.id} exchanges={entry.exchanges} />
        ) : (
          <Disclosure
            key={entry.id}
            title={
              <span className="flex flex-wrap items-center gap-2">
                <Badge variant={entry.returned.code === undefined ? 'destructive' : 'success'}>browser</Badge>
                {CLIENT_STEPS[entry.step].label}
              </span>
            }
          >
            <SafeText label="What the browser came back with" text={JSON.stringify(entry.returned)} />
          </Disclosure>
        ),
      )}
    </TitledCard>
  );
}
