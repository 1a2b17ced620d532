import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import Link from 'next/link';
import { call } from '@/components/call';
import { getApiKey, listApiKeys } from '@/lib/contract/keys';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A client: the name of its API key with a link to it, or the OAuth client's id as it is. */
export function ClientName({ id }: { id: string }) {
  const isKey = UUID.test(id);
  // The newest 1,000 are all keys of most installations; others are read by id.
  const newest = useQuery({
    queryKey: ['api-keys', 'newest'],
    queryFn: ({ signal }) => call(listApiKeys, { query: { status: 'all', limit: '1000' }, signal }),
    enabled: isKey,
    staleTime: 60_000,
  });
  const listed = newest.data?.value.find((key) => key.id === id);
  const single = useQuery({
    queryKey: ['api-keys', id],
    queryFn: ({ signal }) => call(getApiKey, { params: { id }, signal }),
    enabled: isKey && newest.data !== undefined && listed === undefined,
    staleTime: 60_000,
  });
  if (!isKey) return <span className="truncate font-mono text-xs">{id}</span>;
  return (
    <Link
      href={`/keys/${id}`}
      prefetch={false}
      title={id}
      className="inline-flex max-w-56 min-w-0 items-center gap-1.5 rounded-xs text-sm underline-offset-4 hover:underline max-sm:max-w-32"
    >
      <KeyRound aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
      <span className="truncate">{(listed ?? single.data?.value)?.name ?? `${id.slice(0, 8)}…`}</span>
    </Link>
  );
}
