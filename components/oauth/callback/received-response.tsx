import { CopyButton } from '@/components/format/copy-button';
import type { AuthorizationResponse } from '@/components/oauth/callback/handed-over';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/**
 * Lists the parameters of an authorization response, with copy buttons. `opens` is the page that asked for it.
 */
export function ReceivedResponse({
  response,
  received: wasTaken,
  opens,
}: {
  response: AuthorizationResponse;
  /** True once a page of the console that waited for the response has it. */
  received: boolean;
  opens: 'client' | 'builder';
}) {
  const received = Object.entries(response).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const outcome = response.code ? 'The authorization server answered' : 'Nothing came back';
  return (
    <>
      <div>
        <h1 className="text-lg font-semibold">{response.error ? 'The authorization was refused' : outcome}</h1>
        <p className="mt-1 text-sm text-muted-foreground">
          This is the redirect URI of the console.{' '}
          {received.length > 0
            ? 'The code works once, together with the verifier of the client that asked for it.'
            : 'An authorization server sends browsers here with a code.'}
        </p>
      </div>
      {received.length > 0 ? (
        <>
          <dl className="divide-y rounded-md border">
            {received.map(({ name, value }) => (
              <div key={name} className="flex items-center gap-3 px-3 py-2">
                <dt className="w-24 shrink-0 font-mono text-xs text-muted-foreground">{name}</dt>
                <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
                  <span dir="ltr" className="min-w-0 font-mono text-xs wrap-anywhere">
                    {escapeInvisibleCharacters(value)}
                  </span>
                  <CopyButton value={value} label={`Copy ${name}`} />
                </dd>
              </div>
            ))}
          </dl>
          <Alert>
            {wasTaken
              ? 'The page of the console that asked for it has it. You can close this window.'
              : 'No page of the console waits for it.'}
          </Alert>
        </>
      ) : null}
      <Button asChild className="self-start">
        <Link href={opens === 'builder' ? '/oauth' : '/oauth/client'}>
          {opens === 'builder' ? 'Open the builder' : 'Open the OAuth client'}
        </Link>
      </Button>
    </>
  );
}
