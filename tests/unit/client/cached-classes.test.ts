import { describe, expect, it } from 'vitest';
import type { RouteRule } from '@/client/api';
import { CachedClasses } from '@/client/cached-classes';

const TRANSFER = { method: 'POST', path: '/api/transfers/7', ip: '203.0.113.7' };

describe('a class that the server has answered', () => {
  it('is that of the same method and path, in any spelling', () => {
    const classes = new CachedClasses();
    expect(classes.complete(TRANSFER)).toEqual({ ...TRANSFER, cost: 1, class: 'write' });
    classes.recordClass(TRANSFER, 'sensitive');
    expect(classes.complete(TRANSFER).class).toBe('sensitive');
    const spelt = { method: 'post', path: '//api/./transfers/%37/?all#top' };
    expect(classes.complete(spelt).class).toBe('sensitive');
    expect(classes.complete({ ...TRANSFER, method: 'PUT' }).class).toBe('write');
    expect(classes.complete({ ...TRANSFER, path: '/api/transfers/8' }).class).toBe('write');
  });

  it('is the last one', () => {
    const classes = new CachedClasses();
    classes.recordClass(TRANSFER, 'sensitive');
    classes.recordClass(TRANSFER, 'read');
    expect(classes.complete(TRANSFER).class).toBe('read');
    classes.recordClass(TRANSFER, 'write');
    expect(classes.complete(TRANSFER).class).toBe('write');
  });

  it('changes nothing where the check names its class', () => {
    const classes = new CachedClasses();
    const named = { ...TRANSFER, class: 'read' } as const;
    classes.recordClass(named, 'sensitive');
    expect(classes.complete(TRANSFER).class).toBe('write');
    expect(classes.complete(named)).toBe(named);
  });

  it('is forgotten when too many are known, the one first that was answered longest ago', () => {
    const classes = new CachedClasses(undefined, 2);
    const at = (path: string) => ({ method: 'POST', path });
    for (const path of ['/a', '/b', '/a', '/c']) classes.recordClass(at(path), 'sensitive');
    // What the defaults say needs no room: nobody can push the others out with it.
    for (let i = 0; i < 10; i += 1) classes.recordClass(at(`/${i}`), 'write');
    const known = ['/a', '/b', '/c'].map((path) => classes.complete(at(path)).class);
    expect(known).toEqual(['sensitive', 'write', 'sensitive']);
  });

  it('is none that is unknown here', () => {
    const classes = new CachedClasses();
    classes.recordClass(TRANSFER, 'strict' as 'auth');
    expect(classes.complete(TRANSFER).class).toBe('write');
    expect(classes.complete({ ...TRANSFER, class: 'strict' as 'auth' }).class).toBe('write');
  });
});

describe('without any rule', () => {
  it.each([
    ['GET', '/auth/token', 'auth'],
    ['GET', '/AUTH', 'auth'],
    ['GET', '/%61uth/token', 'auth'],
    ['GET', '/api/../auth', 'auth'],
    ['POST', '/api/auth/callback/credentials', 'auth'],
    ['POST', '/api/auth/callback/github', 'write'],
    ['GET', '/authors', 'read'],
    ['head', '/', 'read'],
    ['DELETE', '/', 'write'],
    [undefined, undefined, 'write'],
    [null, 7, 'write'],
  ])('%s %s is of the class that the server would say', (method, path, name) => {
    const check = { method, path } as { method: string; path: string };
    expect(new CachedClasses().complete(check).class).toBe(name);
  });
});

describe('by route rules', () => {
  const rules = async (...given: RouteRule[]) => {
    const classes = new CachedClasses(given);
    await classes.loading;
    expect(classes.loading).toBeNull();
    return classes;
  };

  it('the first that matches says class and cost, of routes that nobody has asked for', async () => {
    const classes = await rules(
      { method: 'POST', path: '/api/transfers/:id', class: 'sensitive', cost: 5 },
      { method: '*', path: '/api/*', class: 'lab' },
    );
    expect(classes.complete(TRANSFER)).toEqual({ ...TRANSFER, class: 'sensitive', cost: 5 });
    expect(classes.complete({ ...TRANSFER, cost: 2 })).toMatchObject({ class: 'sensitive', cost: 2 });
    expect(classes.complete({ ...TRANSFER, path: '/API/%74ransfers/8?x' })).toMatchObject({ class: 'sensitive' });
    expect(classes.complete({ ...TRANSFER, method: 'GET' })).toMatchObject({ class: 'lab', cost: 1 });
    expect(classes.complete({ ...TRANSFER, path: '/' })).toMatchObject({ class: 'write' });
  });

  it('but the server knows better, until it says the same again', async () => {
    const classes = await rules({ method: '*', path: '/api/*', class: 'sensitive' });
    classes.recordClass(TRANSFER, 'write');
    expect(classes.complete(TRANSFER).class).toBe('write');
    classes.recordClass(TRANSFER, 'sensitive');
    expect(classes.complete(TRANSFER).class).toBe('sensitive');
  });

  it('one that the server would skip matches nothing', async () => {
    const classes = await rules(
      { method: '*', path: '/(.*)', class: 'auth' },
      { method: '*', path: '/*', class: 'strict' as 'auth' },
      JSON.parse('{"method": "*", "class": "auth"}'),
      { method: 'GET', path: '/*', class: 'sensitive' },
    );
    expect(classes.complete({ method: 'HEAD', path: '/x' }).class).toBe('sensitive');
    expect(classes.complete({ method: 'POST', path: '/x' }).class).toBe('write');
  });
});
