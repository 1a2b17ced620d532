import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { Probe, type ProbeServices } from '@/lib/oauth/assessment/probe';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CannotProbe, type ControlVerdict, inconclusive } from '@/lib/oauth/assessment/verdict';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import type { Control } from '@/lib/oauth/controls/control';
import type { Millis } from '@/lib/units';

/** What was found out about one control. Its evidence is redacted: it may be kept, streamed and exported. */
export interface Finding {
  control: string;
  verdict: ControlVerdict;
  exchanges: readonly Exchange[];
  durationMs: number;
}

interface AssessmentOptions extends ProbeServices {
  /** The whole catalogue by default. */
  controls?: readonly Control[];
  /** Ends the assessment between two controls. */
  signal?: AbortSignal;
}

export type AssessmentEvent =
  | { type: 'started'; total: number }
  | { type: 'found'; done: number; total: number; finding: Finding }
  | { type: 'finished'; findings: readonly Finding[]; durationMs: number };

/**
 * Assesses a target by the catalogue, one control after the other, with an event for each. A probe that cannot be
 * carried out is inconclusive, whatever the cause: only what was seen is ever passed or failed.
 */
export async function* assess(
  target: AssessmentTarget,
  { controls = CATALOGUE, clock, random, signal }: AssessmentOptions,
): AsyncGenerator<AssessmentEvent> {
  const secrets = new EvidenceSecrets(target);
  const shared = { clock, random, findings: new Map(), secrets };
  const redact = onceEach((exchange) => secrets.redactExchange(exchange));
  const startedAt = clock();
  const findings: Finding[] = [];
  yield { type: 'started', total: controls.length };
  for (const control of controls) {
    if (signal?.aborted) break;
    const finding = redactFinding(await assessControl(control, new Probe(target, shared), clock), secrets, redact);
    findings.push(finding);
    yield { type: 'found', done: findings.length, total: controls.length, finding };
  }
  const again = onceEach((exchange) => secrets.hideAgain(exchange));
  const hidden = findings.map((finding) => redactFinding(finding, secrets, again));
  yield { type: 'finished', findings: hidden, durationMs: clock() - startedAt };
}

/** A finding as it leaves the server. The rule has read what was really seen. */
function redactFinding(finding: Finding, secrets: EvidenceSecrets, redact: (exchange: Exchange) => Exchange): Finding {
  const { kind, reason } = finding.verdict;
  return {
    ...finding,
    verdict: { kind, reason: secrets.redactText(reason) },
    exchanges: finding.exchanges.map(redact),
  };
}

/** Redacts each exchange once: findings share them. */
function onceEach(redact: (exchange: Exchange) => Exchange): (exchange: Exchange) => Exchange {
  const done = new WeakMap<Exchange, Exchange>();
  return (exchange) => {
    const redacted = done.get(exchange) ?? redact(exchange);
    done.set(exchange, redacted);
    return redacted;
  };
}

async function assessControl({ id, evaluate }: Control, probe: Probe, clock: () => Millis): Promise<Finding> {
  const startedAt = clock();
  const verdict = await evaluate(probe).catch((error): ControlVerdict => {
    if (error instanceof CannotProbe) return { kind: error.kind, reason: error.message };
    return inconclusive(`The probe failed: ${error instanceof Error ? error.message : 'unknown fault'}`);
  });
  return { control: id, verdict, exchanges: probe.exchanges, durationMs: clock() - startedAt };
}

/** Runs an assessment to its end. */
export async function assessAll(target: AssessmentTarget, options: AssessmentOptions): Promise<readonly Finding[]> {
  let findings: readonly Finding[] = [];
  for await (const event of assess(target, options)) if (event.type === 'finished') findings = event.findings;
  return findings;
}

/** Events as NDJSON (`application/x-ndjson`): one JSON object a line. */
export async function* eventLines(events: AsyncIterable<AssessmentEvent>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const event of events) yield encoder.encode(`${JSON.stringify(event)}\n`);
}
