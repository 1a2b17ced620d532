import { Check, Minus, Search } from 'lucide-react';
import { CitedText } from '@/components/format/cited-text';
import { useClient } from '@/components/oauth/client/use-client';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Alert } from '@/components/ui/alert';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import { Skeleton } from '@/components/ui/skeleton';
import { ENDPOINT_NAMES, type EndpointName, listCapabilities } from '@/lib/oauth/client/server-metadata';

const ENDPOINTS = Object.entries(ENDPOINT_NAMES) as [EndpointName, string][];

/** Selects the server: by discovery, or with manual endpoints. */
export function ServerCard() {
  const { state, set, discovery, metadata } = useClient();
  const { issuer, endpoints } = state.environment;
  const { found, fault, running } = discovery;
  const readable = /^https?:/i.test(issuer) && URL.canParse(issuer);
  const ask = () => {
    if (!readable) return;
    // A pasted metadata URL also contains the issuer.
    const wanted = issuer.trim().replace(/\/\.well-known\/(?:openid-configuration|oauth-authorization-server)$/, '');
    if (wanted !== issuer) set({ issuer: wanted });
    discovery.ask(wanted);
  };
  const byHand = Object.values(endpoints).filter((url) => url !== '').length;
  return (
    <TitledCard title="Server" className="flex flex-col gap-3">
      <VerbatimField
        label="Issuer"
        type="url"
        value={issuer}
        placeholder="https://login.example.com"
        onChange={(value) => set({ issuer: value })}
        onEnter={ask}
        hint={metadata === null && !running ? 'Discovery finds the endpoints and keys of the server.' : undefined}
      />
      <Button variant="outline" className="self-start" onClick={ask} pending={running} disabled={!readable}>
        {running ? null : <Search aria-hidden />} Discover
      </Button>
      <div aria-live="polite" className="flex flex-col gap-3 empty:hidden">
        {fault === null ? null : (
          <Alert variant="destructive" title="No response">
            {fault}
          </Alert>
        )}
        {found?.problem ? (
          <Alert variant="warning" title={metadata === null ? 'No metadata' : 'The metadata has a problem'}>
            <CitedText>{found.problem}</CitedText> {metadata === null ? 'Enter the endpoints by hand.' : ''}
          </Alert>
        ) : null}
        {metadata === null && running ? <Skeleton className="h-26" /> : null}
        {metadata === null ? null : (
          <ul aria-label="What the server offers" className="flex flex-wrap gap-1.5">
            {listCapabilities(metadata).map(({ name, offered }) => (
              <li key={name}>
                <Badge variant={offered ? 'success' : 'outline'} title={OFFERS[String(offered)]}>
                  {offered ? <Check aria-hidden /> : <Minus aria-hidden />} {name}
                  <span className="sr-only">: {OFFERS[String(offered)]}</span>
                </Badge>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Disclosure
        title={byHand === 0 ? 'Endpoints' : `Endpoints (${byHand} by hand)`}
        className="-mx-1.5 [&>div]:pr-1.5"
      >
        <div className="flex flex-col gap-3">
          {ENDPOINTS.map(([name, label]) => (
            <VerbatimField
              key={name}
              label={label}
              type="url"
              value={endpoints[name] ?? ''}
              placeholder={metadata?.[name] ?? 'not announced'}
              onChange={(url) => set({ endpoints: { ...endpoints, [name]: url.trim() } })}
            />
          ))}
        </div>
      </Disclosure>
    </TitledCard>
  );
}

const OFFERS: Readonly<Record<string, string>> = {
  true: 'offered',
  false: 'not offered',
  null: 'the metadata does not say',
};
