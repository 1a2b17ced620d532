import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useReducer, useState } from 'react';
import { pairControls } from '@/components/oauth/assessed-control';
import {
  type BuilderAction,
  type BuilderState,
  buildCurrentRequest,
  buildInitialState,
  clearSession,
  isAccepted,
  readSession,
  reduceBuilder,
  type SessionRequest,
  writeSession,
} from '@/components/oauth/builder/builder-state';
import { recordLesson } from '@/components/oauth/builder/lessons/lesson-progress';
import { createLessonQuery } from '@/components/oauth/builder/lessons/lesson-query';
import { sendLabRequest } from '@/components/oauth/builder/request/send-request';
import { useMeasurement } from '@/components/oauth/builder/use-measurement';
import { useLab } from '@/components/oauth/lab-context';
import { useOpenSet } from '@/components/ui/disclosure';
import {
  BUILDER_TABS,
  type BuilderTab,
  FRESH,
  formatShareQuery,
  isLinkParameter,
  planLabRequest,
} from '@/lib/oauth/builder/builder-request';
import { buildWireRequest } from '@/lib/oauth/client/wire-request';
import { type ControlSwitch, enableControlsExcept, listDisabledControls } from '@/lib/oauth/lab/controls';
import { createPkcePair, generateRandomText } from '@/lib/oauth/pkce';

const BuilderContext = createContext<ReturnType<typeof useBuilderState> | null>(null);

/** Provides the builder's state, which is stored in the URL (without secrets) and in the browser tab's session. */
export function BuilderProvider({ query, children }: { query: string; children: ReactNode }) {
  return <BuilderContext value={useBuilderState(query)}>{children}</BuilderContext>;
}

export function useBuilder() {
  const builder = useContext(BuilderContext);
  if (!builder) throw new Error('useBuilder is used outside the builder.');
  return builder;
}

export const RESULT_ID = 'result';

function useBuilderState(query: string) {
  const lab = useLab();
  const client = useQueryClient();
  const [state, dispatch] = useReducer(reduceBuilder, query, (initialQuery) =>
    buildInitialState(initialQuery, lab.issuer),
  );
  const [sending, setSending] = useState<'step' | 'flow' | null>(null);
  const [played, setPlayed] = useState<{ id: string; times: number } | null>(null);
  const measurement = useMeasurement(state.controls, lab.replays);
  const { findings } = measurement;
  const assessed = useMemo(() => pairControls(lab.controls, findings), [lab, findings]);
  const matrixRows = useOpenSet();
  const link = useLink(state);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only at first
  useEffect(() => {
    const session = readSession();
    if (session) dispatch({ type: 'change', part: session });
    void freshen(listFreshNames(state));
  }, []);
  useEffect(() => {
    if (state.history.length > 0 || state.flow.codeVerifier !== '') writeSession(state);
  }, [state]);

  const change = (part: Partial<BuilderState>) => dispatch({ type: 'change', part });
  const fill = (tab: BuilderTab, fields: Record<string, string>) => dispatch({ type: 'edit', tab, fields });
  /** Generates values of the authorization request. Returns false if the page has no cryptography for them. */
  const freshen = async (names: readonly FreshName[]) => {
    const values = await generateFresh(names);
    dispatch({ type: 'learn', ...values });
    return !names.includes('code_challenge') || values.verifier !== undefined;
  };
  const receiveCode = (code: string) => dispatch({ type: 'learn', learnt: { code } });
  const forget = () => {
    clearSession();
    dispatch({ type: 'forget' });
  };
  /**
   * Runs steps in sequence, each with the results of the previous one. Stops at the first refusal. If the secure
   * configuration blocked a step, the first of these is shown at the end.
   */
  const run = async (kind: 'step' | 'flow', tabs: readonly BuilderTab[]) => {
    if (sending !== null) return;
    setSending(kind);
    let current = state;
    const apply = (action: BuilderAction) => {
      current = reduceBuilder(current, action);
      dispatch(action);
    };
    if (kind === 'flow') {
      apply({ type: 'learn', ...(await generateFresh(listFreshNames(current))) });
      apply({ type: 'change', part: { useLatestToken: true } });
    }
    let blocked: SessionRequest | undefined;
    for (const tab of tabs) {
      apply({ type: 'change', part: { tab, view: 'response' } });
      const request = await transmit(current);
      apply({ type: 'sent', request });
      if (request.blockedBy.length > 0) blocked ??= request;
      if (!isAccepted(request.answer)) break;
    }
    if (blocked !== undefined) dispatch({ type: 'change', part: { tab: blocked.tab, shown: blocked.id } });
    setSending(null);
    bringResultIntoView();
  };
  const showView = (view: BuilderState['view']) => {
    change({ view });
    bringResultIntoView();
  };
  const openControl = (control: string) => {
    change({ view: 'matrix' });
    matrixRows.setOpen(control, true);
    runAfterPaint(() => {
      const row = document.getElementById(`control-${control}`);
      row?.scrollIntoView({ block: 'center' });
      row?.querySelector('button')?.focus({ preventScroll: true });
    });
  };
  /** Opens the lesson of a control: switches only that control off, compares, and fills in the lesson's request. */
  const openLesson = async (lesson: ControlSwitch) => {
    const controls = enableControlsExcept(lesson);
    change({ view: 'lessons', lesson, controls, compare: true, tab: 'authorize', edits: {} });
    recordLesson(lesson);
    bringResultIntoView();
    focusResult();
    await freshen(FRESH);
    // The view shows why a lesson cannot be read.
    const fields = await client.fetchQuery(createLessonQuery(lesson)).then(
      ({ fields }) => fields,
      () => ({}),
    );
    dispatch({ type: 'teach', lesson, fields });
  };
  const openRequest = ({ id, tab }: SessionRequest) => {
    change({ tab, shown: id, view: 'response' });
    bringResultIntoView();
  };
  /** Plays an attack step by step. */
  const play = (id: string) => {
    setPlayed((before) => ({ id, times: (before?.times ?? 0) + 1 }));
    change({ view: 'attacks' });
  };
  return {
    ...{ state, request: buildCurrentRequest(state), link, sending, measurement, assessed, matrixRows, played },
    ...{ change, fill, freshen, receiveCode, forget, showView, openControl, openLesson, openRequest, play },
    send: () => run('step', [state.tab]),
    runFlow: () => run('flow', BUILDER_TABS),
  };
}

type FreshName = (typeof FRESH)[number];

/** Names the values that a client generates for the next flow: those that no person typed or left out. */
function listFreshNames({ edits }: BuilderState): readonly FreshName[] {
  return FRESH.filter((name) => edits.authorize?.parameters[name] === undefined);
}

async function generateFresh(names: readonly FreshName[]) {
  const pair = names.includes('code_challenge') ? await createPkcePair() : null;
  const state = names.includes('state') ? { state: generateRandomText() } : {};
  return pair === null
    ? { learnt: state }
    : { learnt: { ...state, codeChallenge: pair.challenge }, verifier: pair.verifier };
}

/** Sends the request of the current tab. */
async function transmit(state: BuilderState): Promise<SessionRequest> {
  const request = buildCurrentRequest(state);
  const { tab, controls } = request;
  const outcome = await sendLabRequest(
    buildWireRequest(planLabRequest(request, window.location.origin)),
    state.compare,
  );
  const id = crypto.getRandomValues(new Uint32Array(2)).join('');
  return { id, at: Date.now(), tab, off: listDisabledControls(controls), ...outcome };
}

/** Builds the URL that opens the builder in this state, without secrets, and updates the address bar. */
function useLink(state: BuilderState): string {
  const parameters = formatShareQuery(buildCurrentRequest(state));
  if (state.compare) parameters.set('compare', '1');
  if (state.view !== 'response') parameters.set('view', state.view);
  if (state.view === 'lessons' && state.lesson !== null) parameters.set('lesson', state.lesson);
  const query = parameters.toString();
  useEffect(() => {
    const ended = new AbortController();
    const write = () => {
      ended.abort();
      clearTimeout(timer);
      // Parameters of other components are kept, such as the filters of the matrix.
      const others = [...new URLSearchParams(window.location.search)].filter(([name]) => !isBuilderParameter(name));
      const all = new URLSearchParams([...new URLSearchParams(query), ...others]);
      window.history.replaceState(null, '', `/oauth?${all}`);
    };
    const timer = setTimeout(write, 300);
    // A change of the address cancels a navigation, so it is made before the link is followed.
    addEventListener('click', write, { capture: true, signal: ended.signal });
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [query]);
  return `/oauth?${query}`;
}

const isBuilderParameter = (name: string) => isLinkParameter(name) || ['compare', 'view', 'lesson'].includes(name);

function runAfterPaint(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}

/** Moves the focus to the tab panel that a pane shows, because the pressed button may be gone. */
function focusResult(): void {
  runAfterPaint(() => {
    const panel = document.querySelector<HTMLElement>(`#${RESULT_ID} [role=tabpanel][data-state=active]`);
    panel?.focus({ preventScroll: true });
  });
}

/** Scrolls to the result, which is below the request on a narrow screen, unless its top is visible. */
function bringResultIntoView(): void {
  runAfterPaint(() => {
    const pane = document.getElementById(RESULT_ID);
    if (pane === null) return;
    const { top } = pane.getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 3) pane.scrollIntoView({ block: 'start' });
  });
}
