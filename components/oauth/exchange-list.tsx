import { SafeText } from '@/components/oauth/safe-text';
import { Badge } from '@/components/ui/badge';
import { Disclosure } from '@/components/ui/disclosure';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { indentJson } from '@/lib/json';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

type Exchange = Omit<AssessmentReport['exchanges'][string], 'tokens'> & {
  tokens?: readonly { name: string; header?: unknown; claims?: unknown }[] | undefined;
};

/** Badge with a status code. Its colour comes from the verdict, not from the code. */
export function StatusBadge({ status, tone = 'neutral' }: { status: number; tone?: BadgeTone }) {
  return (
    <Badge variant={tone} className="font-mono tabular-nums">
      {status}
    </Badge>
  );
}

type BadgeTone = 'neutral' | 'success' | 'warning' | 'destructive';

const TONES: Readonly<Record<VerdictKind, BadgeTone>> = {
  passed: 'success',
  failed: 'destructive',
  not_applicable: 'neutral',
  inconclusive: 'neutral',
};

/**
 * Lists the exchanges behind a verdict; each expands to its texts. Repeated metadata requests are omitted. The last
 * exchange has the verdict's colour.
 */
export function ExchangeList(list: { exchanges: readonly Exchange[]; verdict?: VerdictKind; initiallyOpen?: boolean }) {
  const { exchanges, verdict, initiallyOpen } = list;
  const findFirst = ({ request, response }: Exchange) =>
    exchanges.findIndex((other) => other.request.url === request.url && other.response.body === response.body);
  const shown = exchanges.filter(
    (exchange, index) => !exchange.request.url.includes('/.well-known/') || findFirst(exchange) === index,
  );
  return (
    <ol className="flex flex-col">
      {shown.map((exchange, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: evidence never moves
        <li key={index}>
          <Disclosure
            initiallyOpen={initiallyOpen}
            title={
              <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
                <StatusBadge
                  status={exchange.response.status}
                  tone={verdict && index === shown.length - 1 ? TONES[verdict] : 'neutral'}
                />
                <span>{escapeInvisibleCharacters(exchange.label)}</span>
                <code className="min-w-0 truncate font-mono text-xs text-muted-foreground">
                  {exchange.request.method} {escapeInvisibleCharacters(slicePath(exchange.request.url).slice(0, 120))}
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

/** Shows request, response and tokens of an exchange side by side. */
export function ExchangeTexts({
  exchange: { label, request, response, durationMs, tokens = [] },
}: {
  exchange: Exchange;
}) {
  const took = durationMs.toFixed(0);
  const texts = [
    ['Request', `Request: ${label}`, formatMessage(`${request.method} ${request.url}`, request)],
    [`Response after ${took} ms`, `Response: ${label}`, formatMessage(`HTTP ${response.status}`, response)],
    ...tokens.map(
      ({ name, ...parts }) =>
        [`Header and claims of ${escapeInvisibleCharacters(name)}`, `Token: ${name}`, JSON.stringify(parts)] as const,
    ),
  ] as const;
  return (
    <div className="@container">
      <div className="grid gap-3 @2xl:grid-cols-2">
        {texts.map(([title, name, text]) => (
          <div key={name} className="min-w-0">
            <p className="mb-1 text-xs text-muted-foreground">{title}</p>
            <SafeText label={name} text={text} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Formats a request or response as text. `firstLine` is its request or status line. */
export function formatMessage(
  firstLine: string,
  { headers, body }: Pick<Exchange['request'], 'headers' | 'body'>,
): string {
  const lines = [firstLine, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body === '' ? lines : `${lines}\n\n${indentJson(body)}`;
}

/**
 * Returns path and query of an address. It slices the text, because parsing would encode the placeholders of secrets.
 */
function slicePath(address: string): string {
  return URL.canParse(address) ? address.slice(new URL(address).origin.length) : address;
}
