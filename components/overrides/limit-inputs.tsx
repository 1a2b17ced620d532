import { useEffect } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { LimitSource } from '@/components/explanation/limit-source';
import { TypedLimitInputs, typedLimitFields } from '@/components/form/fields/typed-limit';
import { PreviewNote, usePreviewEnd } from '@/components/form/preview-note';
import { formatWindow } from '@/components/format/duration';
import { EntryFields } from '@/components/identifier/entry-fields';
import { isLower, useLimitInForce } from '@/components/limits/limit-in-force';
import { describeLimitEffect } from '@/components/limits/limit-words';
import { isWideRange, type Target } from '@/components/links/target';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { putOverride } from '@/lib/contract/overrides';
import { type Limit, LimitSchema } from '@/lib/contract/policies';
import { formatNumber } from '@/lib/format-number';

export const OverrideForm = z.intersection(
  EntryFields,
  z.object({
    class: EndpointClassSchema,
    ...typedLimitFields,
  }),
);

const FACTORS = [2, 5] as const;
const NUMBERS = ['limit', 'window_seconds'] as const;

interface LimitInputsProps {
  target: Target | null;
  isNew: boolean;
  /** Limit of the edited override, if it is active. */
  edited: Limit | null;
}

/**
 * Limit and window of an override, starting from the current limit. It explains the values and warns if they are lower.
 */
export function LimitInputs({ target, isNew, edited }: LimitInputsProps) {
  const { control, setValue, getValues, resetField, getFieldState, formState } =
    useFormContext<z.input<typeof OverrideForm>>();
  const [endpointClass, limit, seconds] = useWatch({ control, name: ['class', 'limit', 'window_seconds'] });
  const limitInForce = useLimitInForce(target, endpointClass);
  // A range has no counter, so the edited override supplies the limit.
  const inForce =
    edited !== null && target !== null && isWideRange(target) ? { ...edited, source: undefined } : limitInForce;
  const [nowLimit, nowSeconds] = [inForce?.limit, inForce?.window_seconds];
  const end = usePreviewEnd();
  const touched = formState.dirtyFields.limit === true || formState.dirtyFields.window_seconds === true;
  useEffect(() => {
    if (!isNew || nowLimit === undefined || nowSeconds === undefined) return;
    const current = { limit: String(nowLimit), window_seconds: String(nowSeconds) };
    // A number may have been typed since the last render. The other one then only gets a value if it has none.
    const typed = NUMBERS.filter((name) => getFieldState(name).isDirty);
    for (const name of NUMBERS)
      if (typed.length === 0 || (!typed.includes(name) && getValues(name) === ''))
        resetField(name, { defaultValue: current[name] });
  }, [isNew, nowLimit, nowSeconds, resetField, getFieldState, getValues]);
  const multiply = (factor: number) => {
    if (inForce === undefined) return;
    setValue('limit', String(inForce.limit * factor), { shouldDirty: true, shouldValidate: true });
    setValue('window_seconds', String(inForce.window_seconds), { shouldDirty: true, shouldValidate: true });
  };
  const wanted = { limit: Number(limit), window_seconds: Number(seconds) };
  const effect = limit === '' || seconds === '' ? '' : describeLimitEffect(wanted.limit, wanted.window_seconds);
  const lower = limit !== '' && inForce !== undefined && isLower(wanted, inForce);
  const valid = LimitSchema.safeParse(limit === '' || seconds === '' ? null : wanted).data;
  const preview =
    target === null || valid === undefined || !(touched || isNew)
      ? null
      : { body: { ...target, class: endpointClass, ...valid, reason: 'Preview', expires_at: end } };
  return (
    <div className="flex flex-col gap-2">
      <TypedLimitInputs />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs text-muted-foreground">
        <p className="min-w-40 flex-1 tabular-nums" aria-live="polite">
          {effect === '' ? null : `${effect}. `}
          {inForce ? (
            <>
              Now {formatNumber(inForce.limit)} in {formatWindow(inForce.window_seconds)}
              {inForce.source ? (
                <>
                  , <LimitSource source={inForce.source} />
                </>
              ) : null}
              .
            </>
          ) : null}
        </p>
        {inForce && inForce.limit > 0
          ? FACTORS.map((factor) => (
              <Button key={factor} variant="outline" size="sm" onClick={() => multiply(factor)}>
                × {factor}
                <span className="sr-only"> the current limit</span>
              </Button>
            ))
          : null}
      </div>
      <div aria-live="polite" className="empty:hidden">
        {lower && inForce ? (
          <Alert variant="warning" title="Less than now">
            {formatNumber(inForce.limit)} in {formatWindow(inForce.window_seconds)} applies today. This restricts them.
          </Alert>
        ) : null}
      </div>
      <PreviewNote contract={putOverride} input={preview} />
    </div>
  );
}
