import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useReducer, useState } from 'react';
import { NO_PROGRESS, requestAssessment } from '@/components/oauth/assessment-progress';
import {
  type BuilderState,
  clearSession,
  currentRequest,
  initialState,
  readSession,
  reduceBuilder,
  type Session,
  type SessionRequest,
  writeSession,
} from '@/components/oauth/builder/builder-state';
import { sendRequest } from '@/components/oauth/builder/send-request';
import { useOpenSet } from '@/components/oauth/disclosure';
import { useLab } from '@/components/oauth/lab-context';
import { assessedControls } from '@/components/oauth/matrix';
import { type BuilderTab, toRawRequest, toShareQuery } from '@/lib/oauth/builder/builder-request';
import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';

const BuilderContext = createContext<ReturnType<typeof useBuilderState> | null>(null);

/** The builder's state, kept in the address (without secrets) and in this browser tab's session. */
export function BuilderProvider({ query, children }: { query: string; children: ReactNode }) {
  return <BuilderContext value={useBuilderState(query)}>{children}</BuilderContext>;
}

export function useBuilder() {
  const builder = useContext(BuilderContext);
  if (!builder) throw new Error('useBuilder is used outside the builder.');
  return builder;
}

export const PANES_ID = 'request-and-response';

function useBuilderState(query: string) {
  const lab = useLab();
  const [state, dispatch] = useReducer(reduceBuilder, query, (given) => initialState(given, lab.issuer));
  const [sending, setSending] = useState(false);
  const measurement = useMeasurement(state.controls);
  const { findings } = measurement.progress;
  const assessed = useMemo(() => assessedControls(lab.controls, findings), [lab, findings]);
  const matrixRows = useOpenSet();

  const request = currentRequest(state);
  const parameters = toShareQuery(request);
  if (state.compare) parameters.set('compare', '1');
  if (state.view !== 'matrix') parameters.set('view', state.view);
  /** Path and query that open the builder in this state, without any secret. */
  const link = `/oauth?${parameters}`;

  useEffect(() => {
    const kept = readSession();
    if (kept) dispatch({ type: 'change', part: kept });
  }, []);
  useEffect(() => {
    if (state.history.length > 0 || state.latest.verifier !== '') writeSession(state);
  }, [state]);
  useEffect(() => {
    const timer = setTimeout(() => window.history.replaceState(null, '', link), 300);
    return () => clearTimeout(timer);
  }, [link]);

  const change = (part: Partial<BuilderState>) => dispatch({ type: 'change', part });
  const fill = (tab: BuilderTab, fields: Record<string, string>, latest?: Partial<Session['latest']>) =>
    dispatch({ type: 'fill', tab, fields, latest });
  const forget = () => {
    clearSession();
    dispatch({ type: 'forget' });
  };
  const send = async () => {
    if (sending) return;
    setSending(true);
    const { tab, controls } = request;
    const raw = toRawRequest(request);
    const outcome = await sendRequest(raw, state.compare);
    const id = crypto.getRandomValues(new Uint32Array(2)).join('');
    dispatch({ type: 'sent', request: { id, at: Date.now(), tab, raw, off: switchedOff(controls), ...outcome } });
    setSending(false);
  };
  const openControl = (control: string) => {
    change({ view: 'matrix' });
    matrixRows.setOpen(control, true);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const row = document.getElementById(`control-${control}`);
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector('button')?.focus({ preventScroll: true });
      }),
    );
  };
  const openRequest = ({ id, tab }: SessionRequest) => {
    change({ tab, shown: id });
    const panes = document.getElementById(PANES_ID);
    panes?.scrollIntoView({ block: 'start' });
    panes?.focus({ preventScroll: true });
  };
  const actions = { change, fill, forget, send, openControl, openRequest };
  return { state, request, link, sending, measurement, assessed, matrixRows, ...actions };
}

/** Measures the lab with the given controls, again whenever they change, and on `again`. */
function useMeasurement(controls: Controls) {
  const off = switchedOff(controls);
  const [progress, setProgress] = useState(NO_PROGRESS);
  const query = useQuery({
    queryKey: ['lab-measurement', off],
    queryFn: async ({ signal }) => {
      // Several switches are often changed at once.
      await new Promise((resolve) => setTimeout(resolve, 500));
      signal.throwIfAborted();
      return requestAssessment({ body: { target: { lab: { off } }, keep: false } }, setProgress, signal);
    },
    // Only one measurement is kept: switching back measures again.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    networkMode: 'always',
  });
  return { progress, running: query.isFetching, error: query.error, again: () => void query.refetch() };
}
