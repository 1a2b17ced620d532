import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import { Probe, type ProbeOptions } from '@/lib/oauth/assessment/probe';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { ReplayReport, ReplayResult, ReplayStep } from '@/lib/oauth/replays/replay';
import { type Replay, Stage } from '@/lib/oauth/replays/stage';

/** What playing needs of the world. */
export interface PlayOptions extends Omit<ProbeOptions, 'shared'> {
  /** Called with each step as it happens, unredacted. */
  onStep?: (step: ReplayStep) => void;
}

/** Plays an attack against a target. What it answers is redacted: it may be kept and sent to a browser. */
export async function playReplay(
  replay: Replay,
  target: AssessmentTarget,
  options: PlayOptions,
): Promise<ReplayReport> {
  const { clock, random, onStep } = options;
  const secrets = new EvidenceSecrets(target);
  const stage = new Stage(
    new Probe(target, { clock, random, shared: { findings: new Map(), secrets } }),
    replay.defences,
    onStep,
  );
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
