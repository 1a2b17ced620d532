import type { Context } from '@/lib/http/operation';
import { auditStream } from '@/lib/oauth/audit/audit-stream';
import { runAudit } from '@/lib/oauth/audit/run-audit';
import type { AuditTarget } from '@/lib/oauth/audit/target';

/** An audit that is told as it goes: one JSON object a line. It ends when its reader goes away. */
export function auditResponse(context: Context, target: AuditTarget): Response {
  const { clock, randomBytes } = context.services;
  const events = runAudit(target, { clock, random: randomBytes, signal: context.request.signal });
  return new Response(auditStream(events), {
    headers: {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
