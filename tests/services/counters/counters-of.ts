import type { Meter } from '@/lib/limiter/meter';

/** What `hold` counts: requests, tokens (10 are reserved, 3 are used) in two windows, and places. */
export function countersOf(name: string, limit: number): (Meter & { used: number })[] {
  const counter = (
    kind: string,
    most: number,
    seconds: number,
    cost: number,
    used: number,
  ): Meter & { used: number } => {
    return {
      ...{
        subject: 'ip',
        key: `ip|${name}.${kind}|read|${seconds}`,
        limit: most,
        window: { kind: 'sliding', seconds },
      },
      ...{ cost, used },
    };
  };
  return [
    counter('requests', 1e9, 3600, 1, 1),
    counter('tokens', 1e9, 3600, 10, 3),
    counter('tokens', 1e9, 7_776_000, 10, 3),
    counter('places', limit, 7_200, 1, 0),
  ];
}
