import { expect, it } from 'vitest';
import { buildMessageBody } from '@/lib/admin/webhooks/message';

const event = {
  type: 'quota.threshold',
  at: Date.UTC(2026, 10, 20, 12),
  data: { summary: 'The key <!channel> *R&D* @everyone has used 80%.', link: '/keys/7', usage: 8_000 },
};
const resolved = { ...event, type: 'quota.threshold.resolved', data: { ...event.data, resolution: 'It is well.' } };

it('is the event in the standard format, with an absolute link where the origin is known', () => {
  expect(JSON.parse(buildMessageBody(event, 'standard', undefined))).toEqual({
    type: 'quota.threshold',
    timestamp: '2026-11-20T12:00:00.000Z',
    data: event.data,
  });
  expect(JSON.parse(buildMessageBody(event, 'standard', 'https://sluice.example.com')).data.link).toBe(
    'https://sluice.example.com/keys/7',
  );
});

it('is text for Slack, in which names of others are no commands', () => {
  expect(JSON.parse(buildMessageBody(event, 'slack', 'https://sluice.example.com'))).toEqual({
    text: 'The key &lt;!channel&gt; *R&amp;D* @everyone has used 80%. <https://sluice.example.com/keys/7|Open>',
  });
  expect(JSON.parse(buildMessageBody(resolved, 'slack', undefined)).text).toMatch(
    /^Resolved: The key .* It is well\.$/,
  );
});

it('is text for Discord, which calls nobody', () => {
  const { content, allowed_mentions } = JSON.parse(buildMessageBody(event, 'discord', undefined));
  expect(content).toBe('The key \\<!channel\\> \\*R&D\\* @everyone has used 80%.');
  expect(allowed_mentions).toEqual({ parse: [] });
});

it('is never longer than a chat takes', () => {
  const long = { ...event, data: { ...event.data, summary: 'x'.repeat(10_000) } };
  expect(JSON.parse(buildMessageBody(long, 'discord', undefined)).content.length).toBeLessThanOrEqual(2_000);
});
