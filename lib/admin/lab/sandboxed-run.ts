import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@/lib/http/api-error';
import { streamOf } from '@/lib/http/stream';
import { labTarget } from '@/lib/oauth/assessment/lab-target';
import { assess, eventLines } from '@/lib/oauth/assessment/run';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { type ControlSwitch, controlsWithout } from '@/lib/oauth/lab/controls';
import type { Context } from '@/lib/operation/context';

/** @throws ApiError not_found where `SLUICE_LAB=off` */
export function requireLab(context: Context): void {
  if (!context.services.config.SLUICE_LAB) throw new ApiError('not_found', 'The OAuth lab is switched off here.');
}

/** The lab in a sandbox of this request: nothing is stored, and no rate limit is consumed. @throws ApiError not_found */
export function sandboxedLab(context: Context, off: readonly ControlSwitch[]): AssessmentTarget {
  requireLab(context);
  const { clock, randomBytes: random } = context.services;
  const { origin } = context.facts;
  return labTarget({ origin, controls: controlsWithout(...off), startAt: context.now, clock, random });
}

/** An assessment streamed as NDJSON, as fast as its reader. It stops when the reader disconnects. */
export function assessmentResponse(context: Context, target: AssessmentTarget): Response {
  const { clock, randomBytes } = context.services;
  const events = assess(target, { clock, random: randomBytes, sleep, signal: context.facts.signal });
  return new Response(streamOf(eventLines(events)), {
    headers: {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
