import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import { Probe, type ProbeServices } from '@/lib/oauth/assessment/probe';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Replay, type ReplayReport, type ReplayResult, Stage } from '@/lib/oauth/replays/replay';

/** Plays an attack against a target. What it answers is redacted: it may be kept and sent to a browser. */
export async function playReplay(
  replay: Replay,
  target: AssessmentTarget,
  services: ProbeServices,
): Promise<ReplayReport> {
  const secrets = new EvidenceSecrets(target);
  const stage = new Stage(new Probe(target, { ...services, findings: new Map(), secrets }), replay.defences);
  let result: ReplayResult;
  try {
    result = await replay.play(stage);
  } catch (error) {
    if (!(error instanceof CannotProbe)) throw error;
    result = { kind: 'not_played', reason: error.message };
  }
  const steps = stage.steps.map((step) => ({
    ...step,
    exchanges: step.exchanges.map((exchange) => secrets.redactExchange(exchange)),
  }));
  return { replay: replay.id, steps, result: { ...result, reason: secrets.redactText(result.reason) } };
}
