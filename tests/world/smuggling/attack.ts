import { connect } from 'node:net';
import { SAFE_METHODS } from '../../../lib/http/safe-methods';
import { type Attack, LAST } from './corpus';
import type { SeenRequest, StrictUpstream } from './strict-upstream';

/** Where attacks go, and how what became of them is read. */
export interface Target {
  /** The port that attackers connect to. */
  port: number;
  upstream: StrictUpstream;
  /** What was counted for an address, by class. */
  counted(address: string): Promise<Counted>;
  /**
   * Nothing stands before or behind: what the corpus says about statuses and requests is then exact. Other servers may
   * refuse, change and end what they like; only the properties hold.
   */
  exact: boolean;
}

export interface Counted {
  read: number;
  write: number;
  sensitive: number;
  auth: number;
}

/** How long an answer may take that must come, in milliseconds. */
const PATIENCE = 20_000;
/** The same where other servers may wait for what never comes, and nothing is concluded from that they do. */
const PATIENCE_WITH_OTHERS = 3_000;
/** How long an unfinished request is left alone: what it could do to others shows whenever it is done. */
const UNFINISHED = 60;

/**
 * Sends an attack on a connection of its own and, while that may still poison, a victim's request on another one.
 * @param number distinguishes the attack from every other one against the target: 0 to 9,999
 * @returns what broke a property, in words; empty when all held
 */
async function strike(target: Target, attack: Attack, number: number): Promise<string[]> {
  // As long as its placeholder: lengths in the corpus are those of what is sent.
  const id = String(number).padStart('{id}'.length, '0');
  const attacker = `127.1.${number >> 8}.${number & 255}`;
  const victim = `127.2.${number >> 8}.${number & 255}`;
  const faults: string[] = [];
  const bytes = attack.bytes.replaceAll('{id}', id);
  const last = attack.outcome === 'tunnel' ? 'x' : attack.broken ? '' : LAST.replaceAll('{id}', id);
  const patience = attack.broken ? UNFINISHED : target.exact ? PATIENCE : PATIENCE_WITH_OTHERS;
  const conversation = converse(target.port, attacker, bytes + last, patience);
  const alongside = ask(target.port, victim, `/v/${id}/1`);
  const text = await conversation;
  const after = ask(target.port, victim, `/v/${id}/2`);
  for (const [index, answer] of [await alongside, await after].entries()) {
    if (!answer.endsWith(`answer for GET /v/${id}/${index + 1}`)) faults.push(`the victim was answered ${answer}`);
  }
  const of = (prefix: string) => target.upstream.seen.filter(({ target: path }) => belongs(path, prefix, id));
  // What HAProxy reads behind a CONNECT it has refused is a request to it, and is counted as one.
  const received = () => [...of('c'), ...(target.exact ? [] : of('smuggled'))];
  // In this order: a decision comes before its request.
  const sent = received();
  const counted = await target.counted(attacker);
  const differ = () => `counted ${show(counted)}, the upstream got ${show(total(sent))}`;
  if (exceeds(total(sent), counted)) faults.push(differ());
  else if (target.exact && !attack.broken && show(counted) !== show(total(sent))) faults.push(differ());
  if (target.exact && of('smuggled').length > 0) faults.push('a hidden request reached the upstream');
  for (const line of strangers(text, id)) faults.push(`the attacker was answered ${line}`);
  if (target.exact) faults.push(...inExactly(attack, id, attacker, text, sent));
  for (const { fields, method, target: path } of sent) {
    const values = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value]) => value);
    const chain = values('x-forwarded-for').join(', ').split(', ');
    // Another server adds whom it has the request from: Sluice, or for Sluice that server.
    while (!target.exact && chain.at(-1) === '127.0.0.1') chain.pop();
    const ours = target.exact ? chain.join(', ') : chain.at(-1);
    if (ours !== attacker) faults.push(`${method} ${path} was forwarded for ${ours}`);
    for (const name of ['x-sluice-peer', 'x-admin-token'])
      if (values(name).length > 0) faults.push(`${name} was forwarded`);
    for (const name of ['x-forwarded-host', 'x-forwarded-proto', 'x-request-id'])
      if (values(name).length !== 1) faults.push(`${name} is not there once`);
    const all = JSON.stringify(fields);
    if (/slt_|next-auth/.test(all)) faults.push('a secret of ours was forwarded');
    if (target.exact && /6\.6\.6\.6|evil\.example/.test(all)) faults.push('what the client forged was forwarded');
  }
  return faults.map((fault) => `${attack.name}: ${fault}`);
}

/** What the corpus says of one attack with nothing before or behind. */
function inExactly(attack: Attack, id: string, attacker: string, text: string, sent: SeenRequest[]): string[] {
  const faults: string[] = [];
  const seen = sent.map(({ method, target }) => `${method} ${target}`).filter((line) => line !== `GET /c/${id}/end`);
  const sees = attack.sees.map((line) => line.replaceAll('{id}', id));
  const first = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  if (attack.outcome !== 'any' && JSON.stringify(seen.sort()) !== JSON.stringify(sees.sort()))
    faults.push(`from ${attacker} the upstream got ${JSON.stringify(seen)}`);
  if (attack.status.length > 0 && !attack.status.includes(first)) faults.push(`it was answered ${text.slice(0, 300)}`);
  if (first >= 400 && !documented(text)) faults.push(`the refusal is not as documented: ${text.slice(0, 400)}`);
  return faults;
}

/** The body and the headers of every error, where the answer has a body. */
function documented(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end).toLowerCase();
  return (
    head.includes('\r\ncache-control: no-store') &&
    head.includes('\r\nx-request-id: ') &&
    head.includes('\r\ncontent-type: application/json') &&
    /^\{"error":"[a-z_]+","error_description":"[^"]+"/.test(text.slice(end + 4))
  );
}

/** Whether a path as the upstream saw it is one of a case, in whatever spelling. */
function belongs(path: string, prefix: string, id: string): boolean {
  const segments = decoded(path).replaceAll('\\', '/').split('/').filter(Boolean);
  return segments[0] === prefix && segments[1]?.split('?')[0] === id;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Answers that are for requests of somebody else. */
function strangers(text: string, id: string): string[] {
  const lines = text.match(/answer for [A-Z]+ \S+?(?=HTTP\/1\.|$|\s)/g) ?? [];
  const isOurs = (path: string) => belongs(path, 'c', id) || belongs(path, 'smuggled', id);
  return lines.filter((line) => !isOurs(line.split(' ')[3] ?? ''));
}

/** What requests cost by the route rules, by class. */
function total(requests: readonly SeenRequest[]): Counted {
  const sum: Counted = { read: 0, write: 0, sensitive: 0, auth: 0 };
  for (const { method, target } of requests) {
    const [path = ''] = target.split('?');
    // The encoding is taken off twice, as the canonical path does.
    const plain = decoded(decoded(path)).replaceAll('\\', '/');
    const { pathname } = new URL(plain.replace(/\/+/g, '/'), 'http://a');
    if (/^\/c\/\d+\/heavy\/./.test(pathname)) sum.sensitive += 7;
    else if (/^\/c\/\d+\/end$/.test(pathname)) sum.auth += 1;
    else if (SAFE_METHODS.has(method)) sum.read += 1;
    else sum.write += 1;
  }
  return sum;
}

function exceeds(some: Counted, most: Counted): boolean {
  return (Object.keys(some) as (keyof Counted)[]).some((name) => some[name] > most[name]);
}

function show(counted: Counted): string {
  return `read ${counted.read}, write ${counted.write}, sensitive ${counted.sensitive}, auth ${counted.auth}`;
}

/** Says all of it at once and listens until the other side ends, or for a time. */
function converse(port: number, from: string, bytes: string, milliseconds: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    let text = '';
    const end = setTimeout(() => socket.destroy(), milliseconds);
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(end);
      resolve(text);
    });
    socket.once('connect', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.once('end', () => socket.end());
  });
}

async function ask(port: number, from: string, path: string): Promise<string> {
  return converse(port, from, `GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`, PATIENCE);
}

/** Strikes with all of them, some at a time. */
export async function strikeAll(target: Target, attacks: readonly Attack[], first: number): Promise<string[]> {
  const faults: string[] = [];
  const left = attacks.map((attack, index) => ({ attack, number: first + index }));
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      faults.push(...(await strike(target, next.attack, next.number)));
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  for (const violation of target.upstream.violations) faults.push(`the upstream could not read ${violation}`);
  return faults;
}
