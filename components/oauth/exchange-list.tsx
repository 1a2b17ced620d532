import { Disclosure } from '@/components/oauth/disclosure';
import { prettyJson, SafeText } from '@/components/oauth/safe-text';
import { Badge } from '@/components/ui/badge';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** An HTTP status, coloured by its class. */
export function StatusBadge({ status }: { status: number }) {
  return (
    <Badge
      variant={status >= 400 ? 'destructive' : status >= 300 ? 'warning' : 'success'}
      className="font-mono tabular-nums"
    >
      {status}
    </Badge>
  );
}

/** The exchanges behind a verdict, each expanding to its texts; repeated look-ups of metadata are left out. */
export function ExchangeList({ exchanges }: { exchanges: readonly Exchange[] }) {
  const isRepeated = ({ request, response }: Exchange, index: number) =>
    request.url.includes('/.well-known/') &&
    exchanges
      .slice(0, index)
      .some((earlier) => earlier.request.url === request.url && earlier.response.body === response.body);
  return (
    <ol className="flex flex-col">
      {exchanges.map((exchange, index) =>
        isRepeated(exchange, index) ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: evidence never moves
          <li key={index}>
            <Disclosure
              title={
                <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
                  <StatusBadge status={exchange.response.status} />
                  <span>{visibleText(exchange.label)}</span>
                  <code className="min-w-0 truncate font-mono text-xs text-muted-foreground">
                    {exchange.request.method} {visibleText(pathOf(exchange.request.url).slice(0, 120))}
                  </code>
                </span>
              }
            >
              <ExchangeTexts exchange={exchange} />
            </Disclosure>
          </li>
        ),
      )}
    </ol>
  );
}

/** Request, response and the tokens in them, verbatim. */
function ExchangeTexts({ exchange: { label, request, response, durationMs, tokens = [] } }: { exchange: Exchange }) {
  const texts = [
    { title: 'Request', label: `Request: ${label}`, text: messageText(`${request.method} ${request.url}`, request) },
    {
      title: `Response after ${durationMs.toFixed(0)} ms`,
      label: `Response: ${label}`,
      text: messageText(`HTTP ${response.status}`, response),
    },
    ...tokens.map(({ name, header, claims }) => ({
      title: `Header and claims of ${visibleText(name)}`,
      label: `Token: ${name}`,
      text: JSON.stringify({ header, claims }),
    })),
  ];
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      {texts.map((shown) => (
        <div key={shown.label} className="min-w-0">
          <p className="mb-1 text-xs text-muted-foreground">{shown.title}</p>
          <SafeText label={shown.label} text={shown.text} />
        </div>
      ))}
    </div>
  );
}

function messageText(firstLine: string, { headers, body }: Pick<Exchange['request'], 'headers' | 'body'>): string {
  const lines = [firstLine, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body === '' ? lines : `${lines}\n\n${prettyJson(body)}`;
}

/** Path and query of an address. Cut, not parsed: parsing would encode the placeholders of secrets. */
function pathOf(address: string): string {
  return URL.canParse(address) ? address.slice(new URL(address).origin.length) : address;
}
