import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listValueChanges, rebaseDraft } from '@/components/form/draft/changes-between';
import { dropAllDrafts, dropDraft, keepDraft, readDraft } from '@/components/form/draft/stored-drafts';

const policies = { classes: { read: { ip: { limit: 100, window_seconds: 60 } } }, tiers: { free: 1_000 } };

describe('what differs between two versions of a form', () => {
  it('nothing, when they are equal', () => {
    expect(listValueChanges(policies, structuredClone(policies))).toEqual([]);
  });

  it('each value by its path, and an array as one value', () => {
    const after = { ...structuredClone(policies), rules: [1, 2] };
    after.classes.read.ip.limit = 50;
    expect(listValueChanges({ ...policies, rules: [1] }, after)).toEqual([
      { path: 'classes.read.ip.limit', from: 100, to: 50 },
      { path: 'rules', from: [1], to: [1, 2] },
    ]);
  });
});

describe('a draft on top of what is saved by now', () => {
  const draft = { name: 'typed', tier: 'free', user: 'ada' };
  const before = { name: 'old', tier: 'free', user: '' };

  it('has the changes of the person, and nothing else', () => {
    expect(rebaseDraft(before, draft, { ...before, tier: 'business' })).toEqual([
      { path: 'name', from: 'old', to: 'typed', conflict: false },
      { path: 'user', from: '', to: 'ada', conflict: false },
    ]);
  });

  it('marks a value that someone else changed too, with theirs', () => {
    expect(rebaseDraft(before, draft, { ...before, name: 'theirs' })).toContainEqual({
      path: 'name',
      from: 'theirs',
      to: 'typed',
      conflict: true,
    });
  });

  it('keeps the field that decides which others are shown, if only its saved value changed', () => {
    const before = { where: 'issuer', issuer: '' };
    const saved = { where: 'url', issuer: '', url: '' };
    const where = { path: 'where', from: 'url', to: 'issuer', conflict: false };
    const issuer = { path: 'issuer', from: '', to: 'https://login.example.com', conflict: false };
    expect(rebaseDraft(before, { ...before, issuer: issuer.to }, saved, 'where')).toEqual([where, issuer]);
  });

  it('is over where both changed to the same, and where the value is gone', () => {
    expect(rebaseDraft(before, draft, { name: 'typed', tier: 'free' })).toEqual([]);
  });
});

describe('stored drafts', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, second)).toISOString();
  const typed = (second: number, draft: Record<string, unknown> = { name: 'typed' }) => ({
    at: at(second),
    before: { name: '' },
    draft,
  });

  beforeEach(() => {
    const items = new Map<string, string>();
    const storage = {
      getItem: (name: string) => items.get(name) ?? null,
      setItem: (name: string, text: string) => {
        items.set(name, text);
        Object.defineProperty(storage, name, { value: text, enumerable: true, configurable: true });
      },
      removeItem: (name: string) => {
        items.delete(name);
        Reflect.deleteProperty(storage, name);
      },
    };
    vi.stubGlobal('window', { sessionStorage: storage });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('come back as they were, until they are dropped', () => {
    keepDraft('a', typed(1));
    expect(readDraft('a')).toEqual(typed(1));
    dropDraft('a');
    expect(readDraft('a')).toBeNull();
  });

  it('never hold a password, a secret or a code', () => {
    keepDraft(
      'a',
      typed(1, { email: 'ada@example.com', password: 'x', new_password: 'x', client_secret: 'x', otp: '1' }),
    );
    expect(readDraft('a')?.draft).toEqual({ email: 'ada@example.com' });
    keepDraft('a', typed(2, { client: { client_id: 'app', secret: 'x', key: '{}' }, keys: ['a'] }));
    expect(readDraft('a')?.draft).toEqual({ client: { client_id: 'app' }, keys: ['a'] });
  });

  it('are the newest twenty', () => {
    for (let second = 0; second < 25; second += 1) keepDraft(`form ${second}`, typed(second));
    expect(readDraft('form 4')).toBeNull();
    expect(readDraft('form 5')).not.toBeNull();
    expect(readDraft('form 24')).not.toBeNull();
  });

  it('are not kept when they are huge, and go all at once', () => {
    keepDraft('a', typed(1, { name: 'x'.repeat(200_000) }));
    expect(readDraft('a')).toBeNull();
    keepDraft('b', typed(2));
    dropAllDrafts();
    expect(readDraft('b')).toBeNull();
  });

  it('are ignored where they cannot be read', () => {
    window.sessionStorage.setItem('sluice.draft.a', '{"at":1}');
    expect(readDraft('a')).toBeNull();
    vi.stubGlobal('window', {
      get sessionStorage(): Storage {
        throw new DOMException('forbidden');
      },
    });
    keepDraft('a', typed(1));
    expect(readDraft('a')).toBeNull();
  });
});
