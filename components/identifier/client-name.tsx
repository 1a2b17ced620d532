import { KeyRound } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { KeyLink } from '@/components/identifier/key-link';
import { shorten } from '@/components/ui/shorten';
import { Shortened } from '@/components/ui/shortened';
import { isUuid } from '@/lib/contract/fields/ids';
import { getApiKey } from '@/lib/contract/keys';

/**
 * Returns the name of a client's API key, or null for an OAuth client.
 * @param cachedName the name, if the caller already has it; otherwise only this key is looked up
 */
function useKeyName(id: string, cachedName: string | null): string | null {
  const isKey = isUuid(id);
  const { data } = useCall(
    ['api-keys', id],
    getApiKey,
    { params: { id } },
    { enabled: isKey && cachedName === null, staleTime: 60_000 },
  );
  return isKey ? (cachedName ?? data?.value.name ?? `${id.slice(0, 8)}…`) : null;
}

interface ClientNameProps {
  id: string;
  /** Name of the API key, if already loaded. */
  name?: string | null;
}

/** Shows the name of a client as text: the name of its API key, or the OAuth client's id. */
export function ClientLabel({ id, name = null }: ClientNameProps) {
  return useKeyName(id, name) ?? shorten(id);
}

/** Shows a client: the name of its API key as a link, or the OAuth client's id. */
export function ClientName({ id, name: givenName = null }: ClientNameProps) {
  const name = useKeyName(id, givenName);
  if (name === null) return <Shortened text={id} className="font-mono text-xs" />;
  return (
    <KeyLink id={id} title={id} className="inline-flex max-w-56 min-w-0 items-center gap-1.5 text-sm max-sm:max-w-full">
      <KeyRound aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
      <span className="truncate">{name}</span>
    </KeyLink>
  );
}
