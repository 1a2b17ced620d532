import { initialFields } from '@/components/oauth/builder/request-fields';
import { type Session, type SessionRequest, textOf } from '@/components/oauth/builder/session';
import { type BuilderRequest, type BuilderTab, fromShareQuery } from '@/lib/oauth/builder/builder-request';
import type { Controls } from '@/lib/oauth/lab/controls';

/** What is shown below the panes. */
export const VIEWS = ['matrix', 'diagram', 'replays', 'history'] as const;

export interface BuilderState extends Session {
  tab: BuilderTab;
  fields: Readonly<Record<BuilderTab, Readonly<Record<string, string>>>>;
  controls: Controls;
  encoding: 'form' | 'json';
  compare: boolean;
  /** The data request carries `latest.accessToken` rather than its own field. */
  useLatestToken: boolean;
  view: (typeof VIEWS)[number];
  /** The request whose answer is shown; the newest one of the tab when null. */
  shown: string | null;
}

/** `fill` sets fields of a tab, and what of them is to be remembered. */
export type BuilderAction =
  | { type: 'change'; part: Partial<BuilderState> }
  | { type: 'fill'; tab: BuilderTab; fields: Readonly<Record<string, string>>; latest?: Partial<Session['latest']> }
  | { type: 'sent'; request: SessionRequest }
  | { type: 'forget' };

const NOTHING = { code: '', verifier: '', accessToken: '', refreshToken: '' };
/** The most requests that a session remembers. */
const MOST = 50;

/** The builder as a link describes it; without one, a conforming authorization request. */
export function initialState(query: string, issuer: string): BuilderState {
  const parameters = new URLSearchParams(query);
  const linked = fromShareQuery(parameters);
  const fields = {
    authorize: initialFields('authorize', issuer),
    token: initialFields('token', issuer),
    data: initialFields('data', issuer),
  };
  if (parameters.has('tab')) {
    const empty = Object.fromEntries(Object.keys(fields[linked.tab]).map((name) => [name, '']));
    fields[linked.tab] = { ...empty, ...linked.fields };
  }
  return {
    ...linked,
    fields,
    encoding: linked.encoding ?? 'form',
    compare: parameters.get('compare') === '1',
    useLatestToken: true,
    view: VIEWS.find((view) => view === parameters.get('view')) ?? 'matrix',
    latest: NOTHING,
    history: [],
    shown: null,
  };
}

export function reduceBuilder(state: BuilderState, action: BuilderAction): BuilderState {
  const { fields, latest } = state;
  switch (action.type) {
    case 'change':
      return { ...state, ...action.part };
    case 'fill':
      return {
        ...state,
        fields: { ...fields, [action.tab]: { ...fields[action.tab], ...action.fields } },
        latest: { ...latest, ...action.latest },
      };
    case 'sent': {
      const { id, answer } = action.request;
      return {
        ...state,
        history: [...state.history, action.request].slice(-MOST),
        latest: {
          ...latest,
          code: textOf(answer, 'code') || latest.code,
          accessToken: textOf(answer, 'access_token') || latest.accessToken,
          refreshToken: textOf(answer, 'refresh_token') || latest.refreshToken,
        },
        shown: id,
      };
    }
    case 'forget':
      return { ...state, history: [], latest: NOTHING, shown: null };
  }
}

/** The request as it stands on the current tab. */
export function currentRequest(state: BuilderState): BuilderRequest {
  const { tab, controls, encoding } = state;
  const latestToken = tab === 'data' && state.useLatestToken ? { access_token: state.latest.accessToken } : null;
  return { tab, fields: { ...state.fields[tab], ...latestToken }, controls, encoding };
}

/** The request of the session whose answer is shown on the current tab. */
export function shownRequest({ history, tab, shown }: BuilderState): SessionRequest | null {
  const ofTab = history.filter((request) => request.tab === tab);
  return ofTab.find(({ id }) => id === shown) ?? ofTab.at(-1) ?? null;
}
