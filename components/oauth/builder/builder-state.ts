import { initialFields } from '@/components/oauth/builder/request-fields';
import { type SessionRequest, textOf } from '@/components/oauth/builder/session';
import { BUILDER_TABS, type BuilderRequest, type BuilderTab } from '@/lib/oauth/builder/builder-request';
import { fromShareQuery } from '@/lib/oauth/builder/share-link';
import type { Controls } from '@/lib/oauth/lab/controls';

/** What is shown below the panes. */
export const VIEWS = ['matrix', 'diagram', 'replays', 'history'] as const;
export type BuilderView = (typeof VIEWS)[number];

/** The newest of what the flow has brought, for the buttons that fill it in. */
export interface Latest {
  code: string;
  state: string;
  verifier: string;
  accessToken: string;
  refreshToken: string;
}

/** Everything that the builder knows. */
export interface BuilderState {
  tab: BuilderTab;
  fields: Readonly<Record<BuilderTab, Readonly<Record<string, string>>>>;
  controls: Controls;
  encoding: 'form' | 'json';
  compare: boolean;
  useLatestToken: boolean;
  view: BuilderView;
  latest: Latest;
  /** Oldest first. */
  history: readonly SessionRequest[];
  /** The request whose answer is shown; the newest one of the tab when null. */
  shown: string | null;
}

export type BuilderAction =
  | {
      type: 'change';
      part: Partial<
        Pick<BuilderState, 'tab' | 'controls' | 'encoding' | 'compare' | 'useLatestToken' | 'view' | 'shown'>
      >;
    }
  | { type: 'fill'; tab: BuilderTab; fields: Readonly<Record<string, string>> }
  | { type: 'keep'; latest: Partial<Latest> }
  | { type: 'sent'; request: SessionRequest }
  | { type: 'restore'; history: readonly SessionRequest[]; latest: Latest }
  | { type: 'forget' };

const NOTHING: Latest = { code: '', state: '', verifier: '', accessToken: '', refreshToken: '' };
/** The most that a session remembers. */
const MOST = 50;

/** The builder as a link describes it, or as it is at first. */
export function initialState(query: string, issuer: string): BuilderState {
  const parameters = new URLSearchParams(query);
  const linked = fromShareQuery(parameters);
  const fields = Object.fromEntries(BUILDER_TABS.map((tab) => [tab, initialFields(tab, issuer)])) as Record<
    BuilderTab,
    Record<string, string>
  >;
  if (parameters.has('tab')) {
    const empty = Object.fromEntries(Object.keys(fields[linked.tab]).map((name) => [name, '']));
    fields[linked.tab] = { ...empty, ...linked.fields };
  }
  return {
    tab: linked.tab,
    fields,
    controls: linked.controls,
    encoding: linked.encoding ?? 'form',
    compare: parameters.get('compare') === '1',
    useLatestToken: true,
    view: VIEWS.find((view) => view === parameters.get('view')) ?? 'matrix',
    latest: NOTHING,
    history: [],
    shown: null,
  };
}

/** What happens to the builder. */
export function reduceBuilder(state: BuilderState, action: BuilderAction): BuilderState {
  switch (action.type) {
    case 'change':
      return { ...state, ...action.part };
    case 'fill':
      return { ...state, fields: { ...state.fields, [action.tab]: { ...state.fields[action.tab], ...action.fields } } };
    case 'keep':
      return { ...state, latest: { ...state.latest, ...action.latest } };
    case 'sent':
      return {
        ...state,
        history: [...state.history, action.request].slice(-MOST),
        latest: { ...state.latest, ...gained(action.request) },
        shown: action.request.id,
      };
    case 'restore':
      return { ...state, history: action.history, latest: action.latest };
    case 'forget':
      return { ...state, history: [], latest: NOTHING, shown: null };
  }
}

/** The request as it stands on the current tab. */
export function currentRequest(state: BuilderState): BuilderRequest {
  const { tab, controls, encoding, latest, useLatestToken } = state;
  const own = state.fields[tab];
  const fields = tab === 'data' && useLatestToken ? { ...own, access_token: latest.accessToken } : own;
  return { tab, fields, controls, encoding };
}

/** The request of the session whose answer is shown on the current tab. */
export function shownRequest(state: BuilderState): SessionRequest | null {
  const ofTab = state.history.filter((one) => one.tab === state.tab);
  return ofTab.find((one) => one.id === state.shown) ?? ofTab.at(-1) ?? null;
}

function gained({ answer }: SessionRequest): Partial<Latest> {
  const [code, accessToken, refreshToken] = ['code', 'access_token', 'refresh_token'].map((name) =>
    textOf(answer, name),
  );
  return {
    ...(code ? { code } : {}),
    ...(accessToken ? { accessToken } : {}),
    ...(refreshToken ? { refreshToken } : {}),
  };
}
