import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { useId, useState } from 'react';
import { SafeText } from '@/components/oauth/safe-text';
import type { LabAnswer } from '@/components/oauth/token/call-lab';
import { loadLab } from '@/components/oauth/token/load-lab';
import type { WorkbenchLab } from '@/components/oauth/token/workbench-lab';
import { Alert } from '@/components/ui/alert';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import { Switch } from '@/components/ui/switch';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { type ControlSwitch, isControlSwitch } from '@/lib/oauth/lab/controls';

type Shown = { token: string } & ({ answer: LabAnswer } | { problem: string });

/** Sends the token to the lab's resource server with selected controls and names those that refused it. */
export function LabPanel({ lab, token }: { lab: WorkbenchLab; token: string }) {
  const [off, setOff] = useState<readonly ControlSwitch[]>([]);
  const [shown, setShown] = useState<Shown | null>(null);
  const [isPending, setPending] = useState(false);
  const send = async (without: readonly ControlSwitch[]) => {
    setOff(without);
    setPending(true);
    const { sendToLab } = await loadLab();
    const outcome = await sendToLab(token, without);
    setPending(false);
    setShown({ token, ...(outcome.ok ? { answer: outcome.value } : { problem: outcome.problem }) });
  };
  const current = shown?.token === token ? shown : null;
  const answer = current !== null && 'answer' in current ? current.answer : null;
  const toggleControl = (id: ControlSwitch, on: boolean) =>
    setOff(on ? off.filter((other) => other !== id) : [...off, id]);
  return (
    <section aria-label="Lab" className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">Send this forged token to the lab</h3>
        <Button pending={isPending} onClick={() => void send(off)}>
          Send to /api/data
        </Button>
      </div>
      <div aria-live="polite" className="flex flex-col gap-3">
        {current !== null && 'problem' in current ? <Alert variant="warning">{current.problem}</Alert> : null}
        {answer === null ? null : <Answer answer={answer} onSend={(more) => void send([...answer.off, ...more])} />}
      </div>
      <Switches lab={lab} off={off} turn={toggleControl} refused={answer?.blocked_by ?? []} />
    </section>
  );
}

/** Shows the lab's answer. A refusal is good; accepting what a control would refuse is bad. */
function Answer({ answer, onSend }: { answer: LabAnswer; onSend: (off: readonly ControlSwitch[]) => void }) {
  const { status, blocked_by: refused, would_be_blocked_by: waived } = answer;
  const isAccepted = status === 200;
  const isBad = isAccepted && waived.length > 0;
  const Icon = isBad ? ShieldAlert : ShieldCheck;
  const canWaive = refused.filter(isControlSwitch);
  const remarks = [
    isAccepted ? null : (answer.error_description ?? answer.error ?? null),
    isBad ? `It returned the data because these are off: ${waived.join(', ')}.` : null,
    isAccepted && !isBad ? 'No control objects to this token: it is genuine.' : null,
    refused.length > 0 ? `Refused by: ${refused.join(', ')}.` : null,
  ].filter((remark) => remark !== null);
  return (
    <>
      <div
        className={cn(
          'flex items-start gap-2.5 rounded-md px-3 py-2 text-sm',
          isBad ? 'bg-destructive-soft text-destructive-text' : 'bg-success-soft text-success-text',
        )}
      >
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0 wrap-anywhere">
          <p className="font-medium">
            {status} {isBad ? 'The lab accepted a forged token' : isAccepted ? 'Accepted' : 'Refused'}
          </p>
          {remarks.map((remark) => (
            <p key={remark}>{escapeInvisibleCharacters(remark)}</p>
          ))}
        </div>
      </div>
      {canWaive.length > 0 ? (
        <Button variant="outline" className="self-start" onClick={() => onSend(canWaive)}>
          Switch {canWaive.length === 1 ? 'it' : `these ${canWaive.length}`} off and send again
        </Button>
      ) : null}
      <Disclosure className="-ml-1.5" title="What the lab answered">
        <SafeText label="Response of the lab" text={answer.body} />
      </Disclosure>
    </>
  );
}

interface SwitchesProps {
  lab: WorkbenchLab;
  off: readonly ControlSwitch[];
  turn: (id: ControlSwitch, on: boolean) => void;
  refused: readonly string[];
}

function Switches({ lab, off, turn, refused }: SwitchesProps) {
  const prefix = useId();
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Controls of the lab, for this request</legend>
      <ul>
        {lab.switches.map(({ id, title }) => (
          <li key={id} className="flex items-center gap-2.5 border-b py-1.5 last:border-0">
            <Switch
              id={prefix + id}
              aria-label={title}
              checked={!off.includes(id)}
              onCheckedChange={(on) => turn(id, on)}
            />
            <label htmlFor={prefix + id} className="min-w-0 flex-1 text-sm">
              {title}
              <span className="block font-mono text-xs text-muted-foreground">{id}</span>
            </label>
            {refused.includes(id) ? <Badge variant="success">refused it</Badge> : null}
            {off.includes(id) ? <Badge variant="warning">off</Badge> : null}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
