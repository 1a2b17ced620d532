import { createHmac } from 'node:crypto';
import type { Seconds } from '@/lib/units';

const PREFIX = 'whsec_';

/** Creates a signing secret: 256 random bits in base64. */
export function createWebhookSecret(randomBytes: (size: number) => Uint8Array): string {
  return PREFIX + Buffer.from(randomBytes(32)).toString('base64');
}

/**
 * Signs a message (Standard Webhooks 1.0.0): HMAC-SHA256 over `id.timestamp.body`, once for each secret.
 * @param timestamp of the attempt
 * @param secrets the newest first
 */
export function buildSignedHeaders(
  { id, timestamp, body }: { id: string; timestamp: Seconds; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
