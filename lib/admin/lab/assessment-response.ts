import { eventLines } from '@/lib/oauth/assessment/event-lines';
import { assess } from '@/lib/oauth/assessment/run';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import type { Context } from '@/lib/operation/context';

/** An assessment streamed as NDJSON. It stops when its reader disconnects. */
export function assessmentResponse(context: Context, target: AssessmentTarget): Response {
  const { clock, randomBytes } = context.services;
  const events = assess(target, { clock, random: randomBytes, signal: context.facts.signal });
  return new Response(eventLines(events), {
    headers: {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
