import type { KeptFindings } from '@/lib/contract/assessment-events';

type Exchange = KeptFindings[number]['exchanges'][number];

/** Findings that refer to exchanges by id, in their order, each once. */
export interface SharedExchanges<F> {
  findings: (Omit<F, 'exchanges'> & { exchanges: string[] })[];
  exchanges: Record<string, Exchange>;
}

/** Most bytes of the exchanges of a report, as indented JSON. A report is smaller than 2 MB with its texts. */
const MOST_BYTES = 1_500_000;
/** Most characters of each body, for reports that exceed it. */
const BODY_LIMITS = [16_384, 8_192, 4_096, 2_048, 1_024, 512, 256];

/**
 * Stores each exchange once. Most findings share the requests for metadata and tokens. @param isIncluded selects the
 * findings whose exchanges are included; ids are the same for every selection
 */
export function shareExchanges<F extends { exchanges: readonly Exchange[] }>(
  findings: readonly F[],
  isIncluded: (finding: F) => boolean = () => true,
): SharedExchanges<F> {
  const ids = new Map<Exchange, string>();
  const byText = new Map<string, string>();
  const findId = (exchange: Exchange): string => {
    const existing = ids.get(exchange);
    if (existing !== undefined) return existing;
    const text = JSON.stringify(exchange);
    const id = byText.get(text) ?? `e${byText.size + 1}`;
    byText.set(text, id);
    ids.set(exchange, id);
    return id;
  };
  const shared = findings.map((finding) => ({ ...finding, exchanges: [...new Set(finding.exchanges.map(findId))] }));
  const included = findings.filter(isIncluded).flatMap(({ exchanges }) => exchanges);
  const exchanges = Object.fromEntries(included.map((exchange) => [findId(exchange), exchange]));
  return { findings: shared, exchanges: shortenBodies(exchanges) };
}

/** Returns findings with their exchanges. Unknown ids are left out. */
export const restoreExchanges = <F extends { exchanges: readonly string[] }>({
  findings,
  exchanges,
}: {
  findings: readonly F[];
  exchanges: Readonly<Record<string, Exchange>>;
}): (Omit<F, 'exchanges'> & { exchanges: Exchange[] })[] =>
  findings.map((finding) => ({ ...finding, exchanges: finding.exchanges.flatMap((id) => exchanges[id] ?? []) }));

/** Cuts bodies, the same limit for all, until the exchanges fit. */
function shortenBodies(exchanges: Record<string, Exchange>): Record<string, Exchange> {
  const measureSize = (all: Record<string, Exchange>) => new TextEncoder().encode(JSON.stringify(all, null, 2)).length;
  let fitting = exchanges;
  for (const limit of BODY_LIMITS) {
    if (measureSize(fitting) <= MOST_BYTES) break;
    fitting = Object.fromEntries(Object.entries(exchanges).map(([id, exchange]) => [id, cutBodies(exchange, limit)]));
  }
  return fitting;
}

function cutBodies(exchange: Exchange, limit: number): Exchange {
  const cut = <Message extends { body: string }>(message: Message): Message => {
    const { length } = message.body;
    if (length <= limit) return message;
    return { ...message, body: `${message.body.slice(0, limit)}… (${limit} of ${length} characters)` };
  };
  return { ...exchange, request: cut(exchange.request), response: cut(exchange.response) };
}
