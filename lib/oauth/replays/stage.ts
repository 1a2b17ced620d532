import { blockedBy } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome, Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Fields, Probe } from '@/lib/oauth/assessment/probe';
import type { ReplayActor, ReplayResult, ReplayStep } from '@/lib/oauth/replays/replay';

/** An attack as a story that is played with real requests. */
export interface Replay {
  id: string;
  title: string;
  /** A sentence or two. */
  story: string;
  /** Sections of specifications, such as `RFC 9700 4.5`. */
  source: readonly string[];
  /** The controls that defend against it. */
  defences: readonly string[];
  /** @throws CannotProbe when the target does not let it be played */
  play(stage: Stage): Promise<ReplayResult>;
}

/** Where an attack is played: keeps its steps, and gathers the controls that stood in the way. */
export class Stage {
  readonly steps: ReplayStep[] = [];
  readonly #blockers = new Set<string>();

  constructor(
    readonly probe: Probe,
    private readonly defences: readonly string[],
    private readonly onStep: (step: ReplayStep) => void = () => undefined,
  ) {}

  /** Something that happens outside the target. */
  narrate(from: ReplayActor, to: ReplayActor, text: string): void {
    this.#add({ from, to, text, exchanges: [], refused: false });
  }

  /**
   * A request to the target. It counts as refused when `went` says so; then the controls that its answer names are
   * among those that block the attack.
   */
  async act<T>(
    from: ReplayActor,
    to: ReplayActor,
    text: string,
    send: (probe: Probe) => Promise<T>,
    went: (outcome: T) => boolean,
  ): Promise<T> {
    const before = this.probe.exchanges.length;
    const outcome = await send(this.probe);
    const exchanges = this.probe.exchanges
      .slice(before)
      .filter(({ request }) => !request.url.includes('/.well-known/'));
    const refused = !went(outcome);
    const last = exchanges.at(-1);
    if (refused && last !== undefined) for (const control of blockedBy(last)) this.#blockers.add(control);
    this.#add({ from, to, text, exchanges, refused });
    return outcome;
  }

  /** A request that only prepares the attack and throws where it fails. */
  prepare<T>(from: ReplayActor, text: string, send: (probe: Probe) => Promise<T>): Promise<T> {
    return this.act(from, 'authorization server', text, send, () => true);
  }

  /** An authorization request. Answers the code and what redeems it; null without a code. */
  async authorize(
    from: ReplayActor,
    text: string,
    fields: Fields = {},
    label = text,
  ): Promise<{ code: string; verifier: string; issuer: string | undefined } | null> {
    const outcome = await this.act(
      from,
      'authorization server',
      text,
      (probe) => probe.authorize(label, fields),
      (outcome) => outcome.kind === 'granted',
    );
    if (outcome.kind !== 'granted' || outcome.parameters.code === undefined) return null;
    return { code: outcome.parameters.code, verifier: outcome.verifier, issuer: outcome.parameters.iss };
  }

  /** A token request. Answers the tokens, or null where it was refused. */
  async tokens(from: ReplayActor, text: string, send: (probe: Probe) => Promise<TokenOutcome>): Promise<Tokens | null> {
    const outcome = await this.act(from, 'authorization server', text, send, ({ kind }) => kind === 'issued');
    return outcome.kind === 'issued' ? outcome.tokens : null;
  }

  /** Presents an access token to the resource server. Answers whether it was accepted. */
  async present(from: ReplayActor, text: string, token: string, label = text): Promise<boolean> {
    const { accepted } = await this.act(
      from,
      'resource server',
      text,
      (probe) => probe.presentToken(label, token),
      (outcome) => outcome.accepted,
    );
    return accepted;
  }

  /** The client itself sees that something is wrong, because of a control of the server. */
  notice(control: string, text: string): void {
    this.#blockers.add(control);
    this.#add({ from: 'client', to: 'client', text, exchanges: [], refused: true });
  }

  /** The attack has failed. A target that names no controls is taken to have those that stand against the attack. */
  blocked(reason: string): ReplayResult {
    return { kind: 'blocked', by: this.#blockers.size > 0 ? [...this.#blockers] : this.defences, reason };
  }

  #add(step: ReplayStep): void {
    this.steps.push(step);
    this.onStep(step);
  }
}

/** The attack has reached what it was for. */
export function succeeded(reason: string): ReplayResult {
  return { kind: 'succeeded', reason };
}
