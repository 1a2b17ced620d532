'use client';

import { Disclosure } from '@/components/oauth/disclosure';
import { prettyJson, SafeText } from '@/components/oauth/safe-text';
import { Badge } from '@/components/ui/badge';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** The status of an answer. */
export function StatusBadge({ status }: { status: number }) {
  const variant = status >= 400 ? 'destructive' : status >= 300 ? 'warning' : 'success';
  return (
    <Badge variant={variant} className="font-mono tabular-nums">
      {status}
    </Badge>
  );
}

/** Path and query of an address of this exchange's server, or the address as it is. */
function pathOf(address: string): string {
  // Cut, and not taken apart: placeholders of secrets would be encoded.
  return URL.canParse(address) ? address.slice(new URL(address).origin.length) : address;
}

function headerLines(headers: Exchange['request']['headers']): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** The text of a message: its first line, its headers, and its body. */
function messageText(first: string, headers: Exchange['request']['headers'], body: string): string {
  return `${first}\n${headerLines(headers)}${body === '' ? '' : `\n\n${prettyJson(body)}`}`;
}

/** One request and its answer, word by word. */
function ExchangeTexts({ exchange }: { exchange: Exchange }) {
  const { request, response } = exchange;
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      <div className="min-w-0">
        <p className="mb-1 text-xs text-muted-foreground">Request</p>
        <SafeText
          label={`Request: ${exchange.label}`}
          text={messageText(`${request.method} ${request.url}`, request.headers, request.body)}
        />
      </div>
      <div className="min-w-0">
        <p className="mb-1 text-xs text-muted-foreground">Response after {exchange.durationMs.toFixed(0)} ms</p>
        <SafeText
          label={`Response: ${exchange.label}`}
          text={messageText(`HTTP ${response.status}`, response.headers, response.body)}
        />
      </div>
      {exchange.tokens?.map(({ name, header, claims }) => (
        <div key={name} className="min-w-0">
          <p className="mb-1 text-xs text-muted-foreground">Header and claims of {visibleText(name)}</p>
          <SafeText label={`Token: ${name}`} text={JSON.stringify({ header, claims })} />
        </div>
      ))}
    </div>
  );
}

/** A look-up of metadata that was made before, with the same answer: it says nothing new. */
function isRepeated(exchange: Exchange, before: readonly Exchange[]): boolean {
  if (!exchange.request.url.includes('/.well-known/')) return false;
  const same = (one: Exchange) =>
    one.request.url === exchange.request.url && one.response.body === exchange.response.body;
  return before.some(same);
}

/** The exchanges that something stands on, each opening to its words; repeated look-ups of metadata are left out. */
export function ExchangeList({ exchanges }: { exchanges: readonly Exchange[] }) {
  const distinct = exchanges.filter((exchange, index) => !isRepeated(exchange, exchanges.slice(0, index)));
  return (
    <ol className="flex flex-col">
      {distinct.map((exchange, index) => (
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
      ))}
    </ol>
  );
}
