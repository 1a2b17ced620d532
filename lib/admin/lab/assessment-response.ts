import { auditStream } from '@/lib/oauth/assessment/event-lines';
import { runAudit } from '@/lib/oauth/assessment/run';
import type { AuditTarget } from '@/lib/oauth/assessment/target';
import type { Context } from '@/lib/operation/context';

/** An audit that is told as it goes: one JSON object a line. It ends when its reader goes away. */
export function auditResponse(context: Context, target: AuditTarget): Response {
  const { clock, randomBytes } = context.services;
  const events = runAudit(target, { clock, random: randomBytes, signal: context.facts.signal });
  return new Response(auditStream(events), {
    headers: {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
