import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';

/**
 * Shows, next to a switch, what is wrong while it is off, the attacks that this allows, and the effect of the last
 * change.
 */
export function SwitchEffect({ id }: { id: ControlSwitch }) {
  const { state, measurement } = useBuilder();
  const { replays } = useLab();
  const { effect, findings, attacks, running } = measurement;
  const on = state.controls[id];
  const isLast = effect?.changed.length === 1 && effect.changed[0] === id;
  if (on) return isLast ? <ChangeEffect /> : null;
  const own = findings.some(({ control, verdict }) => control === id && verdict.kind === 'failed') ? [id] : [];
  const failed = [...new Set([...own, ...(isLast ? effect.failed : [])])];
  const succeeding = replays
    .filter((replay) => replay.defences.includes(id) && attacks.get(replay.id)?.result.kind === 'succeeded')
    .map((replay) => replay.id);
  const also = isLast ? effect.succeeding.filter((other) => !succeeding.includes(other)) : [];
  return (
    <EffectBox label={`Effect of ${id}`} bad>
      {failed.length === 0 && succeeding.length === 0 ? (
        <p className="text-muted-foreground">
          {running ? 'Measuring…' : 'No other control fails, no attack succeeds.'}
        </p>
      ) : null}
      <FailedControls ids={failed} />
      <Attacks ids={[...succeeding, ...also]} />
    </EffectBox>
  );
}

/** Shows the effect of the last change if it changed more than one switch. */
export function PresetEffect() {
  const { effect } = useBuilder().measurement;
  return effect === null || effect.changed.length < 2 ? null : <ChangeEffect />;
}

function ChangeEffect() {
  const { measurement, showView } = useBuilder();
  const { effect } = measurement;
  if (effect === null) return null;
  const { failed, fixed, succeeding, blocked, complete } = effect;
  const nothing = [failed, fixed, succeeding, blocked].every((ids) => ids.length === 0);
  const formatCounted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);
  const many = failed.length > 3 || fixed.length > 3;
  return (
    <EffectBox label="Effect of the change" bad={failed.length + succeeding.length > 0}>
      {nothing ? <p className="text-muted-foreground">{complete ? 'No verdict changes.' : 'Measuring…'}</p> : null}
      {many && failed.length > 0 ? (
        <p className="text-destructive-text">
          {formatCounted(failed.length, 'more control fails than before.', 'more controls fail than before.')}
        </p>
      ) : (
        <FailedControls ids={failed} />
      )}
      {succeeding.length > 3 ? (
        <p className="flex items-center justify-between gap-2 text-destructive-text">
          {succeeding.length} more attacks succeed than before.
          <Button variant="outline" size="sm" className="h-6 px-2" onClick={() => showView('attacks')}>
            Show
          </Button>
        </p>
      ) : (
        <Attacks ids={succeeding} />
      )}
      {fixed.length > 0 ? (
        <p className="text-success-text">
          {formatCounted(fixed.length, 'more control passes than before.', 'more controls pass than before.')}
        </p>
      ) : null}
      {blocked.length > 0 ? (
        <p className="text-success-text">
          {formatCounted(
            blocked.length,
            'more attack is blocked than before.',
            'more attacks are blocked than before.',
          )}
        </p>
      ) : null}
    </EffectBox>
  );
}

function EffectBox({ label, bad, children }: { label: string; bad: boolean; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      aria-live="polite"
      className={cn(
        'mt-1 flex flex-col gap-1 border-l-2 pl-2.5 text-xs',
        bad ? 'border-destructive' : 'border-success',
      )}
    >
      {children}
    </section>
  );
}

/** Lists failed controls. Each says what is wrong and links to its row in the matrix. */
function FailedControls({ ids }: { ids: readonly string[] }) {
  const { openControl } = useBuilder();
  const { controls } = useLab();
  const failed = controls.filter(({ id }) => ids.includes(id));
  if (failed.length === 0) return null;
  return (
    <ul aria-label="Failed controls" className="flex flex-col gap-0.5">
      {failed.map(({ id, wrong, severity }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => openControl(id)}
            className="text-left font-medium text-destructive-text underline-offset-3 hover:underline"
          >
            {wrong}
          </button>
          <span className="text-muted-foreground"> · {severity}</span>
        </li>
      ))}
    </ul>
  );
}

function Attacks({ ids }: { ids: readonly string[] }) {
  const { play } = useBuilder();
  const { replays } = useLab();
  const succeeding = replays.filter(({ id }) => ids.includes(id));
  if (succeeding.length === 0) return null;
  return (
    <ul aria-label="Attacks that succeed now" className="flex flex-col gap-1">
      {succeeding.map(({ id, title }) => (
        <li key={id} className="flex items-center justify-between gap-2">
          <span>
            <span className="font-medium">{title}</span> succeeds
          </span>
          <Button
            variant="outline"
            size="sm"
            className="h-6 px-2"
            aria-label={`Play ${title}`}
            onClick={() => play(id)}
          >
            <Play aria-hidden /> Play
          </Button>
        </li>
      ))}
    </ul>
  );
}
