import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecision } from '@/cli/decisions/decision-line';
import { parseServerEvents } from '@/cli/decisions/server-events';
import { loggedRefusal } from '@/tests/fixtures/decision-event';

const TEXT =
  'retry: 2000\n: open\n\nid: 7\nevent: decision\ndata: {"path":"/ü"}\n\n: heartbeat\n\nid: 8\r\nevent: decision\r\ndata: 1\r\ndata: 2\r\n\r\n';
const EVENTS = [
  { id: '7', event: 'decision', data: '{"path":"/ü"}' },
  { id: '8', event: 'decision', data: '1\n2' },
];

describe('a stream of server-sent events', () => {
  it('is the same however the network cuts it', async () => {
    const bytes = new TextEncoder().encode(TEXT);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
        const read = [];
        let pieces = 0;
        async function* body() {
          for (const [index, start] of places.slice(0, -1).entries()) yield bytes.slice(start, places[index + 1]);
        }
        for await (const event of parseServerEvents(body(), () => (pieces += 1))) read.push(event);
        expect(read).toEqual(EVENTS);
        expect(pieces).toBe(places.length - 1);
      }),
    );
  });
});

describe('a decision on one line', () => {
  const plain = (_: string, text: string) => text;

  it('says when, what, who, which request, and why', () => {
    const line = formatDecision(loggedRefusal('203.0.113.7'), plain);
    expect(line).toMatch(/^\d{4}-.*Z {2}refused {3}\w+ .* {2}ip \S+ {2}GET \S+ {2}rate_limit_exceeded/);
  });

  it('lets no path steer the terminal', () => {
    const line = formatDecision({ ...loggedRefusal('203.0.113.7'), path: '/\u001b[2J\n\u202e' }, plain);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
