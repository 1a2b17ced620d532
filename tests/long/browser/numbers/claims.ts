import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Answers } from './answers';

/** What some elements of a screen must say. Spaces separate the parts of an element, except before punctuation. */
export interface Claim {
  /** CSS selector. */
  in: string;
  /** Only elements with such a text, and of nested ones the innermost. */
  like?: RegExp;
  /** One text or pattern for each element, in order. Absent: constants of the console, which `like` describes. */
  say?: readonly (string | RegExp)[];
}

/** Names of standards, algorithms and versions. */
const VOCABULARY =
  /\b(RFC \d+( [\d.]+)?|OAuth 2\.\d|FAPI 2\.0( Security Profile [\d.()\s]+)?|OpenID Connect Core [\d.]+|(RS|ES|PS|HS)(256|384|512)|S256|SHA-256|base64url|pkce-s256)/g;

const AXIS = /^([\d.]+[KM]?|\d\d:\d\d|\d{1,2} [A-Z][a-z]{2})$/;

/** Claims for every screen: choices of time, axes of charts, numbers of steps. */
const COMMON: readonly Claim[] = [
  { in: '[aria-label="Time"] button', like: /^(\d+[mhd]|\d+ days)$/ },
  { in: 'figure > div span', like: AXIS },
];

/** Formats an amount as the console does. */
export const number = (value: number): string => value.toLocaleString('en-US');

export const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Returns a pattern for a text that begins with other texts. */
export const startsWith = (text: string): RegExp => new RegExp(`^${text.replace(/[.()%+?|[\]*$^]/g, '\\$&')}`);

/** Reads the visible elements of a claim, and marks them. */
async function readClaimed(page: Page, { in: selector, like }: Claim, root: string): Promise<string[]> {
  return page.locator(root).evaluate(
    (main, { selector, like, flags }) => {
      const pattern = new RegExp(like, flags);
      const readText = (element: Element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        let text = '';
        while (walker.nextNode()) {
          const { textContent, parentElement, previousSibling } = walker.currentNode;
          if (parentElement?.checkVisibility())
            text += `${previousSibling?.nodeType === Node.TEXT_NODE ? '' : ' '}${textContent}`;
        }
        return text
          .replace(/\s+/g, ' ')
          .replace(/ (?=[,.:;%)])/g, '')
          .replace('( ', '(')
          .trim();
      };
      const found = [...main.querySelectorAll(selector)].flatMap((element) => {
        const text = readText(element);
        return element.checkVisibility() && pattern.test(text) ? [{ element, text }] : [];
      });
      const innermost = found.filter(
        ({ element }) => !found.some((other) => other.element !== element && element.contains(other.element)),
      );
      for (const { element } of innermost) element.setAttribute('data-claimed', '');
      return innermost.map(({ text }) => text);
    },
    { selector, like: like?.source ?? '', flags: like?.flags ?? '' },
  );
}

interface Unclaimed {
  text: string;
  place: string;
}

/** Lists texts with digits that no claim covers, the times, and times as only programs write them. */
async function listUnclaimed(
  page: Page,
  root: string,
): Promise<{ texts: Unclaimed[]; times: string[]; stamps: string[] }> {
  return page.locator(root).evaluate((main) => {
    const texts: Unclaimed[] = [];
    const stamps: string[] = [];
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { textContent: text, parentElement: parent } = walker.currentNode;
      if (text === null || parent === null || !/\d/.test(text) || !parent.checkVisibility()) continue;
      if (parent.closest('time, pre, code, script, style') !== null) continue;
      if (/\d-\d\dT\d\d:/.test(text)) stamps.push(text);
      if (parent.closest('[data-claimed]') !== null) continue;
      const block = parent.closest('p, li, td, h1, h2, h3, dd, a, button, label') ?? parent;
      const label = parent.closest('[aria-label]')?.getAttribute('aria-label') ?? 'main';
      texts.push({ text, place: `${block.tagName.toLowerCase()} “${block.textContent}” in ${label}` });
    }
    const times = [...main.querySelectorAll('time')].map((element) => element.dateTime);
    return { texts, times, stamps };
  });
}

/**
 * Compares what a screen shows with its claims, and requires of every other number in `root` that it is part of a text of
 * the API or a time of it.
 * @param given texts that the address or the test gives, such as an identifier
 * @param root selector of the screen, or of the dialog over it
 */
export async function expectNoOtherNumbers(
  page: Page,
  answers: Answers,
  claims: readonly Claim[],
  given: string,
  root = 'main',
) {
  for (const claim of [...COMMON, ...claims]) {
    const texts = await readClaimed(page, claim, root);
    if (claim.say === undefined) continue;
    const expected = claim.say.map((each) => (typeof each === 'string' ? each : expect.stringMatching(each)));
    expect(texts, `${claim.in} ${claim.like ?? ''}`).toEqual(expected);
  }
  const { texts, times, stamps } = await listUnclaimed(page, root);
  expect(stamps, 'times that are not for people').toEqual([]);
  const named = [given, ...answers.listTexts()];
  const isNamed = (text: string) => /[a-z:/.+]/i.test(text) && named.some((each) => each.includes(text));
  const { origin } = new URL(page.url());
  const others = texts.filter(({ text }) => {
    const bare = text.replace(origin, '').replaceAll(/[“”…]/g, '').trim();
    return /\d/.test(bare.replace(VOCABULARY, '')) && !isNamed(bare);
  });
  expect(others, 'numbers that nothing compares').toEqual([]);
  const written = named.flatMap((text) => [...text.matchAll(/(\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/g)]);
  const known = new Set(
    [...named, ...written.map(([, day, clock]) => `${day}T${clock}Z`)].map((text) => Date.parse(text)),
  );
  expect(
    times.filter((time) => !known.has(Date.parse(time))),
    'times',
  ).toEqual([]);
}
