import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { OpenAlerts } from '@/components/inbox/alert-groups';
import type { Alert } from '@/lib/contract/alerts';
import { renderComponent } from '../../fixtures/render-component';

const KEY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

const createAlert = (part: Partial<Alert>): Alert => ({
  ...{ id: crypto.randomUUID(), event: 'refusals.burst', subject: `client:${KEY}`, details: {}, link: '/keys' },
  object: { id: `api_key:${KEY}`, type: 'api_key', name: 'Reports' },
  ...{ summary: 'Reports was refused 300 times within 5 minutes.', opened_at: '2026-11-20T12:00:00.000Z' },
  ...{ resolved_at: null, resolution: null, acknowledged_at: null, acknowledged_by: null, snoozed_until: null },
  ...part,
});
const renderAlerts = (rows: Alert[], isPartial = false) =>
  renderComponent(createElement(OpenAlerts, { rows, isPartial }));
const listBadges = (html: string) => [...html.matchAll(/>(Refusals|Quota [0-9]+%)</g)].map(([, text]) => text);

describe('a line of the inbox', () => {
  const reached = (percent: number): Partial<Alert> => ({
    event: 'quota.threshold',
    subject: `api_key:${KEY}`,
    details: { threshold_percent: percent },
    summary: `Reports has reached ${percent}% of its quota.`,
  });

  it('omits a lower share of the same quota', () => {
    const html = renderAlerts([createAlert({}), createAlert(reached(100)), createAlert(reached(80))]);
    expect(listBadges(html)).toEqual(['Refusals', 'Quota 100%']);
    expect(html).not.toContain('80%');
  });

  it('has every subject of a key: its quota and its limit as a client', () => {
    const html = renderAlerts([
      createAlert({ summary: 'Reports was refused 400 times.' }),
      createAlert({ subject: `quota:${KEY}`, summary: 'Reports was refused 300 times.' }),
    ]);
    expect(listBadges(html)).toEqual(['Refusals', 'Refusals']);
    expect(html).toContain('refused 400 times');
    expect(html).toContain('refused 300 times');
  });

  it('says that actions apply to alerts that a filter or a page hides', () => {
    expect(renderAlerts([createAlert({})])).not.toContain('not shown');
    expect(renderAlerts([createAlert({})], true)).toContain(
      'Actions apply to all alerts of an object, also those that are not shown.',
    );
  });
});

describe('a time in the text of an alert', () => {
  it.each([
    ['2026-11-20T12:00:00.000Z', '20 Nov 2026, 12:00 UTC'],
    ['2026-11-20 at 12:00 UTC', '20 Nov 2026, 12:00 UTC'],
  ])('is shown in the chosen zone: %s', (text, shown) => {
    expect(renderAlerts([createAlert({ summary: `An override ends ${text}.` })])).toContain(`>${shown}</time>.`);
  });

  it.each([
    '2026-13-40T10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T99:99:99.5Z',
    '2026-99-99 at 99:99 UTC',
    '0000-01-01 at 00:00 UTC',
  ])('stays as it is if it is none: %s', (name) => {
    expect(renderAlerts([createAlert({ summary: `${name} was refused.` })])).toContain(`${name} was refused.`);
  });
});
